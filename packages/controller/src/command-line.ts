// The command line: run (the controller), bgpd (the routing daemon beside it), plan (the same decision
// offline). Arguments in, exit code out: 0 all well, 1 it failed or the input has faults, 2 the command line
// or the settings are wrong. `run` goes on after its code is known, until a signal ends the process.
//
// A command loads its own part of the program only: beside bgpd there should be little more than a Node.

import { Command, CommanderError, Option } from 'commander';

import { limitHeapGrowth } from './heap-growth.ts';
import { createLogger } from './logger.ts';
import type { PlanOptions } from './plan/plan-command.ts';
import { loadSettings, SettingsInvalid } from './settings-file.ts';
import { onTermination } from './termination.ts';
import { UsageInvalid } from './usage-invalid.ts';
import { VERSION } from './version.ts';

/** What ending takes beside the hand-over: the Lease, the sessions, the last requests; in milliseconds. */
const ENDING_MS = 20_000;

interface ConfigOption {
  readonly config: string;
}

export interface Output {
  out(text: string): void;
  error(text: string): void;
}

export async function commandLine(args: readonly string[], output: Output): Promise<number> {
  let code = 0;
  const program = herald(output, (ended) => (code = ended));
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeFor(error as Error, output);
  }
}

/** Says what is wrong, unless the parser of the command line has said it already. */
function exitCodeFor(error: Error, output: Output): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : 2;
  }
  output.error(`herald: ${error.message}\n`);
  return error instanceof SettingsInvalid || error instanceof UsageInvalid ? 2 : 1;
}

function herald(output: Output, onCode: (code: number) => void): Command {
  const program = new Command('herald')
    .description(
      'Announces the addresses of Kubernetes LoadBalancer Services by BGP, from the control plane only.',
    )
    .version(VERSION)
    .configureOutput({ writeOut: (text) => output.out(text), writeErr: (text) => output.error(text) })
    .exitOverride();
  addRun(program);
  addBgpd(program);
  addPlan(program, output, onCode);
  return program;
}

function addRun(program: Command): void {
  program
    .command('run')
    .description('run the controller')
    .requiredOption('--config <file>', 'settings, YAML or JSON')
    .action(async ({ config }: ConfigOption) => {
      limitHeapGrowth();
      const { start } = await import('./main.ts');
      const settings = await loadSettings(config);
      const starting = start(settings, createLogger(settings.logLevel));
      // As the first process of a container it would not even be ended by a signal that nobody waits for.
      onTermination(async () => (await starting).stop(), settings.handOver.patienceMs + ENDING_MS);
      await starting;
    });
}

function addBgpd(program: Command): void {
  program
    .command('bgpd')
    .description('run bgpd beside the controller, without any router configured')
    .requiredOption('--config <file>', 'settings, YAML or JSON')
    .action(async ({ config }: ConfigOption) => {
      const { becomeBgpd } = await import('./bgpd-process.ts');
      await becomeBgpd(await loadSettings(config));
    });
}

function addPlan(program: Command, output: Output, onCode: (code: number) => void): void {
  program
    .command('plan')
    .description(
      'decide offline, from a folder of manifests or a dump, and show routes, sessions and verdicts',
    )
    .argument('<manifests>', 'folder, or one YAML or JSON file')
    .option('--config <file>', 'settings, YAML or JSON; without them: ASN 64512 and defaults')
    .option('--against <manifests>', 'show what would change if <manifests> took the place of these')
    .addOption(
      new Option('-o, --output <format>', 'form of the output')
        .choices(['text', 'json', 'yaml'])
        .default('text'),
    )
    .action(async (manifests: string, options: PlanOptions) => {
      const { plan } = await import('./plan/plan-command.ts');
      onCode(await plan(manifests, options, (text) => output.out(text)));
    });
}
