/**
 * One lab: an island of namespaces, links, folders and programs that disappears completely.
 *
 * `Lab.create` first sweeps what labs of dead processes left, then takes a name nobody else has (by process id).
 * Everything made through it is recorded before it exists and destroyed by `close`, by the end of the process and
 * by SIGINT, SIGTERM and SIGHUP. No traffic leaves the namespaces made here.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ledger, STATE_DIRECTORY, sweepStaleLabs } from './ledger.ts';
import { Namespace } from './namespace.ts';
import { missingPrerequisites } from './prerequisites.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let labsOfThisProcess = 0;

export class Lab {
  readonly id: string;
  /** For configuration, sockets and captures; searchable by the daemons' own users. */
  readonly directory: string;
  readonly ledger: Ledger;
  readonly #namespaces = new Map<string, Namespace>();
  readonly #closers: (() => Promise<void>)[] = [];

  private constructor(id: string) {
    this.id = id;
    this.ledger = new Ledger(id);
    this.directory = join(STATE_DIRECTORY, id);
    this.ledger.addDirectory(this.directory);
    mkdirSync(this.directory, { mode: 0o755 });
    this.#destroyAtExit();
  }

  // oxlint-disable-next-line require-await -- callers await it, and a rejected promise is how a missing tool shows
  static async create(name: string): Promise<Lab> {
    const missing = missingPrerequisites();
    if (missing.length > 0) throw new Error(`The lab cannot run here:\n${missing.join('\n')}`);
    sweepStaleLabs();
    labsOfThisProcess += 1;
    return new Lab(`${name.slice(0, 12)}-${process.pid}-${labsOfThisProcess}`);
  }

  /** A namespace by its label, made at its first use. */
  async namespace(label: string): Promise<Namespace> {
    const known = this.#namespaces.get(label);
    if (known !== undefined) return known;
    const namespace = await Namespace.create(this.ledger, `${this.id}-${label}`, label);
    this.#namespaces.set(label, namespace);
    return namespace;
  }

  /** A folder of this lab, made if it is not there. World-writable on request of the daemons that drop root. */
  folder(...parts: readonly string[]): string {
    const path = join(this.directory, ...parts);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** Something to be ended in good order before everything is destroyed; the last one registered goes first. */
  beforeClose(closer: () => Promise<void>): void {
    this.#closers.push(closer);
  }

  /** Whatever a closer does, everything is destroyed; what went wrong is thrown afterwards. */
  async close(): Promise<void> {
    const problems = await this.#runClosers();
    await this.#killPrograms();
    this.ledger.destroy();
    process.off('exit', this.#onExit);
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    if (problems.length > 0) throw problems[0];
  }

  async #runClosers(): Promise<Error[]> {
    const problems: Error[] = [];
    for (const closer of this.#closers.toReversed())
      await closer().catch((error: Error) => problems.push(error));
    return problems;
  }

  /** Killed and reaped before the namespaces go: the kernel keeps a namespace as long as a program is in it. */
  async #killPrograms(): Promise<void> {
    const programs = [...this.#namespaces.values()].flatMap((namespace) => namespace.programs);
    for (const program of programs) program.kill('SIGKILL');
    await Promise.all(programs.map((program) => program.exited));
  }

  readonly #onExit = (): void => {
    this.ledger.destroy();
  };

  readonly #onSignal = (signal: NodeJS.Signals): void => {
    this.ledger.destroy();
    for (const name of SIGNALS) process.off(name, this.#onSignal);
    process.kill(process.pid, signal);
  };

  #destroyAtExit(): void {
    process.on('exit', this.#onExit);
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }
}
