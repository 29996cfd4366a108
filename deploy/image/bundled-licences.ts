// Which npm packages are in the bundle, and under which licences: their texts, one after the other.
//
// In: the files that the bundler put into its output, as paths from the repository. Out: one text, sorted by
// package, the same for the same packages. A package without a licence text is an error: it may not be shipped.

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i;
const RULE = `\n\n${'='.repeat(78)}\n`;

const OPENING = `Herald is under the Apache License 2.0. The file herald.mjs also holds code of these packages:`;

export async function bundledLicences(repository: string, inputs: readonly string[]): Promise<string> {
  const folders = [...new Set(inputs.flatMap(packageFolder))];
  const texts = await Promise.all(folders.map((folder) => packageLicence(join(repository, folder))));
  return `${[OPENING, ...texts.sort()].join(RULE)}\n`;
}

/** node_modules/a/node_modules/@b/c/lib/d.js -> node_modules/a/node_modules/@b/c; our own files -> nothing. */
export function packageFolder(input: string): string[] {
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
  return found?.[1] === undefined ? [] : [found[1]];
}

async function packageLicence(folder: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageManifest;
  const title = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`;
  const names = await readdir(folder);
  const files = names.filter((name) => LICENCE_FILE.test(name)).sort();
  const texts =
    files.length === 0
      ? [
          await licenceInReadme(
            folder,
            names.find((name) => /^readme/i.test(name)),
          ),
        ]
      : await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return [title, ...texts.map((text) => text.trim())].join('\n\n');
}

/** Some authors put the text at the end of their README. */
async function licenceInReadme(folder: string, name: string | undefined): Promise<string> {
  const readme = name === undefined ? '' : await readFile(join(folder, name), 'utf8');
  const text = /\n#+ licen[cs]e\b([\s\S]*)/i.exec(readme)?.[1];
  if (text === undefined) {
    throw new Error(`${folder} comes without a licence text`);
  }
  return text;
}
