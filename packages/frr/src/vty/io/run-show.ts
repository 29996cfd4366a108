// One `show` command on a connection of its own: command -> text, or JSON. Connecting to a Unix socket
// costs less than keeping one alive across restarts of bgpd would.

import { isAccepted } from '../answer.ts';
import { VtyError } from '../vty-error.ts';
import { VtySession } from './vty-session.ts';
import type { AnswerSink, VtySettings } from './vty-session.ts';

export async function runShow(settings: VtySettings, command: string): Promise<string> {
  const session = new VtySession(settings);
  try {
    return await showIn(session, command);
  } finally {
    session.close();
  }
}

export async function runShowJson(settings: VtySettings, command: string): Promise<unknown> {
  return parseJson(command, await runShow(settings, `${command} json`));
}

/** An answer that is too large to be held whole goes to the sink as it comes. */
export async function streamShowJson(
  settings: VtySettings,
  command: string,
  sink: AnswerSink,
): Promise<void> {
  const session = new VtySession(settings);
  try {
    sink(Buffer.from(await showIn(session, `${command} json`, sink)));
  } finally {
    session.close();
  }
}

/** In privileged mode, which `show running-config` needs. */
async function showIn(session: VtySession, command: string, sink?: AnswerSink): Promise<string> {
  await session.ask('enable');
  const answer = await session.ask(command, sink);
  if (!isAccepted(answer)) {
    throw new VtyError('Rejected', command, answer.text.trim());
  }
  return answer.text;
}

function parseJson(command: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new VtyError('Malformed', command, `the answer is not JSON (${text.length} characters)`);
  }
}
