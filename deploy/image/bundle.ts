// Makes what the image carries of Herald: the bundled program, its source map, and the licence texts of the
// packages that are in it.
//
// In: the sources of packages/controller and their npm packages. Out: herald.mjs, the parts that it imports
// later, their maps and LICENCES in the folder that is the only argument. They run on the Node of the lock
// file without anything else: schemas and templates are code already, the version is inlined.

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledLicences } from './bundled-licences.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));

/** Some packages are CommonJS and ask for Node's own modules by `require`, which a module does not have. */
const PREAMBLE = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`;

/** The image has no shell and no `env`; Node is where the image puts it. */
const INTERPRETER = '#!/usr/bin/node';

export async function bundle(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const result = await build({
    absWorkingDir: REPOSITORY,
    entryPoints: ['packages/controller/src/herald.ts'],
    bundle: true,
    write: false,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'part-[hash]',
    format: 'esm',
    // What a command imports when it runs is a file of its own: `herald bgpd` needs little of it.
    splitting: true,
    platform: 'node',
    target: 'node26',
    // Names stay: they are in stack traces, and what reads `constructor.name` goes on working.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: PREAMBLE },
    metafile: true,
    logLevel: 'warning',
    // The sources are complete without their tsconfig files, which a build context need not hold.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  for (const { path, text } of result.outputFiles) {
    await writeFile(path, path.endsWith('herald.mjs') ? withInterpreter(text) : text);
  }
  await chmod(join(folder, 'herald.mjs'), 0o755);
  await writeFile(join(folder, 'LICENCES'), await bundledLicences(REPOSITORY, inputsOf(result.metafile)));
}

function withInterpreter(text: string): string {
  return text.replace(/^#!.*/, INTERPRETER);
}

/** Files that left nothing in the output are not part of it. */
function inputsOf(metafile: {
  readonly outputs: Readonly<
    Record<string, { readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>> }>
  >;
}): string[] {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((input) => (inputs[input]?.bytesInOutput ?? 0) > 0),
  );
}

const [folder] = process.argv.slice(2);
if (import.meta.main) {
  if (folder === undefined) {
    throw new RangeError('usage: node deploy/image/bundle.ts FOLDER');
  }
  await bundle(folder);
  process.stdout.write(`bundle: ${relative(process.cwd(), folder)}\n`);
}
