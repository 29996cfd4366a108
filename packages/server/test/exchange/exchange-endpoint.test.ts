// The path where replicas ask each other, over real sockets: with TLS and without, and what everybody else is told.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server, TokenCheck } from '../../src/index.ts';
import { ask, EXCHANGE_PATH, readKeys, unseal } from '../../src/index.ts';
import { RefusalLog } from '../../src/exchange/refusal-log.ts';
import { NOW, serve } from '../fixture.ts';

const KEY = 'k'.repeat(40);
const NEXT = 'n'.repeat(40);
const tokens: TokenCheck = { may: () => Promise.resolve('yes') };
const folder = mkdtempSync(join(tmpdir(), 'herald-exchange-'));
const keyFile = join(folder, 'key');

let server: Server;
let url: string;
beforeAll(async () => {
  server = await serve();
  const settings = { address: '127.0.0.1', port: 0, tls: undefined };
  const exchange = { keyFile, report: () => '{"replica":"a"}' };
  url = `http://127.0.0.1:${await server.listenOnPodNetwork({ settings, tokens, exchange })}`;
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function asked(authorization: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}${EXCHANGE_PATH}`, { headers: { authorization } });
  return { status: response.status, body: await response.json() };
}

describe('a replica that asks', () => {
  test.each([
    ['by the key', KEY, KEY],
    ['by the next key, while both count', NEXT, `${KEY}\n${NEXT}\n`],
  ])('%s is told', async (_, key, file) => {
    writeFileSync(keyFile, file);
    const question = ask(key, NOW);
    const { status, body } = await asked(question.credentials);
    expect([status, unseal(body, question)]).toEqual([200, '{"replica":"a"}']);
  });

  test.each([
    ['by a key that was taken away', NEXT, KEY],
    ['while the key file is too short', KEY, 'short'],
    ['while the key file is empty', KEY, ''],
  ])('%s is not', async (_, key, file) => {
    writeFileSync(keyFile, file);
    const { status, body } = await asked(ask(key, NOW).credentials);
    expect(status).toBe(401);
    expect(JSON.stringify(body)).not.toContain('replica":');
  });
});

test('a token of the cluster is no key', async () => {
  writeFileSync(keyFile, KEY);
  expect((await asked('Bearer yes')).status).toBe(401);
});

test('a key file that cannot be read is said without what is in it', async () => {
  await expect(readKeys(join(folder, 'none'))).rejects.toThrow('cannot be read: ENOENT');
  writeFileSync(keyFile, 'secret-but-short');
  await expect(readKeys(keyFile)).rejects.toThrow(/^(?!.*secret-but-short).*at least 32 characters/);
});

test('refusals are said at once, and then once a minute with how many there were', () => {
  const said: unknown[] = [];
  const log = new RefusalLog({ warn: (facts: unknown) => said.push(facts) } as never);
  for (const at of [0, 1, 2, 60_000]) {
    log.add('10.0.0.1', 'WrongKey', at);
  }
  log.add('10.0.0.2', 'WrongKey', 60_000);
  expect(said).toMatchObject([
    { from: '10.0.0.1', unsaid: 0 },
    { from: '10.0.0.1', unsaid: 2 },
    { from: '10.0.0.2', unsaid: 0 },
  ]);
});
