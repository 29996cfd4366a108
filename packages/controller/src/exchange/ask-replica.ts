// Asks one replica how it is: a URL and a key in, its report out. The answer is believed because of its MAC and not
// because of a certificate, so that the listener's may be self-signed or none. Bounded in time and size.

import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';

import { ask, EXCHANGE_PATH, unseal, type Question, type ReplicaReport } from '@herald/server';

import { parseReport } from './replica-report.ts';

/**
 * answered: it is there. silent: nothing is known. gone: nobody listens there, or who does is no replica of ours.
 */
export type Answer =
  | { readonly kind: 'answered'; readonly report: ReplicaReport }
  | { readonly kind: 'silent' | 'gone'; readonly problem: string };

const PLAIN = { send: plainRequest, agent: new PlainAgent({ keepAlive: true }) };
const TLS = { send: tlsRequest, agent: new TlsAgent({ keepAlive: true, rejectUnauthorized: false }) };

const TIMEOUT_MS = 1000;
const MAX_BYTES = 65_536;

export async function askReplica(url: string, key: string): Promise<Answer> {
  const question = ask(key, Date.now());
  try {
    return read(JSON.parse(await answerTo(url, question)), question);
  } catch (error) {
    const { name, code, message } = error as NodeJS.ErrnoException;
    const isSilent = name === 'TimeoutError' || name === 'AbortError';
    return isSilent ? { kind: 'silent', problem: 'no answer' } : { kind: 'gone', problem: code ?? message };
  }
}

function read(answer: unknown, question: Question): Answer {
  const payload = unseal(answer, question);
  const report = payload === undefined ? undefined : parseReport(payload);
  return report === undefined
    ? { kind: 'gone', problem: 'the answer is not one of a replica with the same key' }
    : { kind: 'answered', report };
}

function answerTo(url: string, { credentials }: Question): Promise<string> {
  return new Promise((resolve, reject) => {
    const { send, agent } = url.startsWith('https:') ? TLS : PLAIN;
    const options = {
      agent,
      headers: { authorization: credentials },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    };
    const request = send(new URL(EXCHANGE_PATH, url), options, (response) => {
      readText(response).then(resolve, reject);
    });
    request.on('error', reject).end();
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  if (response.statusCode !== 200) {
    response.resume();
    throw new Error(`it answers ${response.statusCode}`);
  }
  let text = '';
  for await (const piece of response.setEncoding('utf8')) {
    text += String(piece);
    if (text.length > MAX_BYTES) {
      response.destroy();
      throw new Error('it answers too much');
    }
  }
  return text;
}
