import { createServer, type Server } from 'node:http';

import type { Joining } from '@herald/decision';
import { address } from '@herald/net';
import { afterEach, expect, test, vi } from 'vitest';

import { HealthProber, type AskHealth } from '../src/health-prober.ts';

let server: Server | undefined;
let prober: HealthProber | undefined;

afterEach(() => {
  prober?.close();
  server?.close();
});

function waiting(node: string, port: number | undefined, text = '127.0.0.1'): Joining {
  const probe = port === undefined ? undefined : `${node}|4|${port}`;
  return { serviceKey: 'default/web', node, address: address(text), port, probe, untilMs: undefined };
}

/** Answers come when the test gives them. */
function scripted() {
  const asked: {
    host: string;
    port: number;
    signal: AbortSignal;
    answer: (is: boolean | undefined) => void;
  }[] = [];
  const ask: AskHealth = (target, signal) =>
    new Promise((answer) => {
      asked.push({ ...target, signal, answer });
    });
  const onChange = vi.fn<() => void>();
  prober = new HealthProber(onChange, ask);
  return { asked, onChange, prober };
}

async function healthPort(status: () => number): Promise<number> {
  const listening = createServer((_, response) => response.writeHead(status()).end());
  server = listening;
  await new Promise<void>((resolve) => {
    listening.listen(0, '127.0.0.1', resolve);
  });
  return (listening.address() as { port: number }).port;
}

test('a health port that answers 503 is not programmed, and is once it answers 200', async () => {
  let status = 503;
  const port = await healthPort(() => status);
  let changed = Promise.withResolvers<void>();
  prober = new HealthProber(() => changed.resolve());
  prober.set([waiting('w1', port)]);
  await changed.promise;
  expect([...prober.programmed]).toEqual([[`w1|4|${port}`, false]]);
  changed = Promise.withResolvers<void>();
  status = 200;
  await changed.promise;
  expect([...prober.programmed]).toEqual([[`w1|4|${port}`, true]]);
});

test('a port that nobody answers on says nothing', async () => {
  const port = await healthPort(() => 200);
  await new Promise((resolve) => server?.close(resolve));
  const { asked, prober: scriptedProber } = scripted();
  scriptedProber.set([waiting('w1', port)]);
  asked[0]?.answer(undefined);
  await Promise.resolve();
  expect([...scriptedProber.programmed]).toEqual([]);
});

test('who waits for time alone is not asked', () => {
  const { asked, prober: scriptedProber } = scripted();
  scriptedProber.set([waiting('w1', undefined)]);
  expect(asked).toEqual([]);
});

test('a pair is asked once at a time, however often it is named', () => {
  const { asked, prober: scriptedProber } = scripted();
  scriptedProber.set([waiting('w1', 31_000), waiting('w1', 31_000), waiting('w2', 31_000, '127.0.0.2')]);
  scriptedProber.set([waiting('w1', 31_000), waiting('w2', 31_000, '127.0.0.2')]);
  expect(asked.map(({ host, port }) => `${host}:${port}`)).toEqual(['127.0.0.1:31000', '127.0.0.2:31000']);
});

test('who waits no longer is forgotten, and a late answer changes nothing', async () => {
  const { asked, onChange, prober: scriptedProber } = scripted();
  scriptedProber.set([waiting('w1', 31_000)]);
  scriptedProber.set([]);
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[0]?.answer(true);
  await Promise.resolve();
  expect([...scriptedProber.programmed]).toEqual([]);
  expect(onChange).not.toHaveBeenCalled();
});

test('an answer is dropped with its pair, and the same answer is told once', async () => {
  vi.useFakeTimers();
  const { asked, onChange, prober: scriptedProber } = scripted();
  scriptedProber.set([waiting('w1', 31_000)]);
  asked[0]?.answer(false);
  await vi.advanceTimersByTimeAsync(100);
  asked[1]?.answer(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(asked).toHaveLength(3);
  expect(onChange).toHaveBeenCalledOnce();
  scriptedProber.set([]);
  expect([...scriptedProber.programmed]).toEqual([]);
  vi.useRealTimers();
});
