// Command groups -> bgpd, over one vty session in configuration mode. A command that bgpd rejects ends its
// group only: the group's neighbour stays behind `shutdown`, and the others are carried out.
// Returns what was rejected; throws VtyError only when the connection itself fails.

import { maskSecrets } from '../../log/mask-secrets.ts';
import { isAccepted } from '../../vty/answer.ts';
import type { VtyAnswer } from '../../vty/answer.ts';
import type { VtySession } from '../../vty/io/vty-session.ts';
import { VtyError } from '../../vty/vty-error.ts';
import type { CommandGroup, Subject } from '../diff-config.ts';

export interface ApplyProblem {
  readonly subject: Subject;
  readonly command: string;
  readonly message: string;
}

export async function runGroups(
  session: VtySession,
  groups: readonly CommandGroup[],
): Promise<ApplyProblem[]> {
  const problems: ApplyProblem[] = [];
  await enterConfiguration(session);
  for (const group of groups) {
    const problem = await runGroup(session, group);
    if (problem !== undefined) {
      problems.push(problem);
      await session.ask('end');
      await enterConfiguration(session);
    }
  }
  await session.ask('end');
  return problems;
}

async function enterConfiguration(session: VtySession): Promise<void> {
  for (const command of ['enable', 'configure terminal']) {
    const answer = await session.ask(command);
    if (!isAccepted(answer)) {
      throw new VtyError('Rejected', command, answer.text.trim());
    }
  }
}

async function runGroup(
  session: VtySession,
  { subject, commands }: CommandGroup,
): Promise<ApplyProblem | undefined> {
  for (const command of commands) {
    const answer = await session.ask(command);
    if (!isAccepted(answer) && !tookEffect(command, answer)) {
      const message = maskSecrets(answer.text.trim());
      return { subject, command: maskSecrets(command), message };
    }
  }
  return undefined;
}

/**
 * Without zebra, `neighbor X graceful-restart` does its work and then reports that it could not tell
 * zebra (*measured*, FRR 10.3).
 */
function tookEffect(command: string, answer: VtyAnswer): boolean {
  return / graceful-restart(?:-disable|-helper)?$/.test(command) && answer.text.includes('Invalid value');
}
