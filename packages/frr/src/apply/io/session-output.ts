// The output that makes bgpd's peers what the plan says: SessionPlan -> checked frr.conf -> the commands
// that are missing -> an outcome. Given the whole plan every time, it compares with what bgpd *runs*, read
// anew each time, so that neither a restart of this process nor one of bgpd leaves it with a false memory.
//
// One application at a time. Does not decide when: not before the first table is in bgpd, after a change
// of the plan, and after bgpd restarted - that is the caller's.

import type { AppliedPlan } from '../../plan/applied-plan.ts';
import { planConfig } from '../../plan/plan-config.ts';
import type { PeerRefusal } from '../../plan/password.ts';
import type { FeedPlacement } from '../../plan/feed-neighbor.ts';
import { renderConfig } from '../../render/render-config.ts';
import { isAccepted } from '../../vty/answer.ts';
import { VtySession } from '../../vty/io/vty-session.ts';
import type { VtySettings } from '../../vty/io/vty-session.ts';
import { VtyError } from '../../vty/vty-error.ts';
import { diffConfig } from '../diff-config.ts';
import type { CommandGroup } from '../diff-config.ts';
import { holdPeers } from '../held-peers.ts';
import { parseStatements } from '../statements.ts';
import type { Statements } from '../statements.ts';
import { checkConfig } from './check-config.ts';
import type { VtyshProgram } from './check-config.ts';
import { writeConfigFile } from './config-file.ts';
import { runGroups } from './run-groups.ts';
import type { ApplyProblem } from './run-groups.ts';

export interface SessionOutputSettings {
  readonly vty: VtySettings;
  readonly vtysh: VtyshProgram;
  readonly configDir: string;
  readonly placement: FeedPlacement;
}

export interface ApplyOutcome {
  /** What commands were sent for, in their order; empty if bgpd already ran the plan. */
  readonly changed: readonly CommandGroup['subject'][];
  readonly problems: readonly ApplyProblem[];
  /** Peers that were left as they run, because their password cannot be used. */
  readonly refused: readonly PeerRefusal[];
}

const CONFIG_NAME = 'frr.conf';

export class SessionOutput {
  readonly #settings: SessionOutputSettings;
  #checkedText: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(settings: SessionOutputSettings) {
    this.#settings = settings;
  }

  /**
   * Unresolved peers are left as they run. Rejects with ConfigRefused (vtysh does not accept the configuration;
   * bgpd is untouched), VtyError (bgpd cannot be spoken to) or the file system's error (the configuration cannot
   * be written; bgpd is untouched).
   */
  async apply(plan: AppliedPlan): Promise<ApplyOutcome> {
    const outcome = await this.applyIf(plan, () => true);
    return outcome ?? { changed: [], problems: [], refused: [] };
  }

  /**
   * The same, unless `isStillTrue` says no. It is asked once it is known what bgpd runs and before anything is
   * changed: what the plan was made for may be over by then, if bgpd restarted meanwhile. Then there is no outcome.
   */
  applyIf(plan: AppliedPlan, isStillTrue: () => boolean): Promise<ApplyOutcome | undefined> {
    const outcome = this.#last.then(() => this.#apply(plan, isStillTrue));
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }

  async #apply(plan: AppliedPlan, isStillTrue: () => boolean): Promise<ApplyOutcome | undefined> {
    const { config, held, refused } = planConfig(plan, this.#settings.placement);
    const text = renderConfig(config);
    await this.#check(text);
    const session = new VtySession(this.#settings.vty);
    try {
      const wanted = parseStatements(text);
      const groups = await differences(session, wanted, held);
      if (!isStillTrue()) {
        return undefined;
      }
      const problems = await converge(session, groups, () => differences(session, wanted, held));
      return { changed: groups.map(({ subject }) => subject), problems, refused };
    } finally {
      session.close();
    }
  }

  async #check(text: string): Promise<void> {
    if (text !== this.#checkedText) {
      const { configDir, vtysh } = this.#settings;
      await writeConfigFile(configDir, CONFIG_NAME, text, (file) => checkConfig(file, vtysh));
      this.#checkedText = text;
    }
  }
}

async function converge(
  session: VtySession,
  groups: readonly CommandGroup[],
  left: () => Promise<readonly CommandGroup[]>,
): Promise<ApplyProblem[]> {
  if (groups.length === 0) {
    return [];
  }
  const problems = await runGroups(session, groups);
  return problems.length === 0 ? (await left()).map(notTaken) : problems;
}

async function differences(
  session: VtySession,
  wanted: Statements,
  held: ReadonlySet<string>,
): Promise<CommandGroup[]> {
  const running = await readRunning(session);
  return diffConfig(running, holdPeers(wanted, running, held));
}

async function readRunning(session: VtySession): Promise<Statements> {
  await session.ask('enable');
  const command = 'show running-config';
  const answer = await session.ask(command);
  if (!isAccepted(answer)) {
    throw new VtyError('Rejected', command, answer.text.trim());
  }
  return parseStatements(answer.text);
}

/** bgpd accepted everything and still runs something else. */
function notTaken({ subject, commands }: CommandGroup): ApplyProblem {
  const message = `bgpd still differs in ${commands.length} lines after accepting every command`;
  return { subject, command: '', message };
}
