import type { FastifyBaseLogger } from 'fastify';
import { expect, it } from 'vitest';
import { createServer } from '../src/index.ts';
import { views } from './fixture.ts';

const ignore = (): void => undefined;

/** Keeps what is logged as errors, with the words that every line of a part carries. */
function collected(bindings: object, lines: object[]): FastifyBaseLogger {
  const error = (facts: object, message: string): void => {
    lines.push({ ...bindings, ...facts, message });
  };
  const child = (more: object): FastifyBaseLogger => collected({ ...bindings, ...more }, lines);
  const others = { fatal: ignore, warn: ignore, info: ignore, debug: ignore, trace: ignore, silent: ignore };
  return { level: 'info', error: error as FastifyBaseLogger['error'], child, ...others };
}

it('a request that fails is logged with its error, of which the answer says nothing', async () => {
  const broken = new Error('a detail of the inside');
  const lines: object[] = [];
  const current = () => {
    throw broken;
  };
  const server = await createServer(
    { current, explain: () => undefined },
    { version: '1.2.3', logger: collected({}, lines) },
  );
  const { statusCode, body } = await server.app.inject({ url: '/api/v1/peers' });
  await server.close();
  expect([statusCode, body.includes('detail of the inside')]).toEqual([500, false]);
  expect(lines).toMatchObject([{ event: 'http', err: broken, message: 'request failed' }]);
});

it('what is refused is not logged as an error', async () => {
  const lines: object[] = [];
  const server = await createServer(
    { current: () => views(), explain: () => undefined },
    { version: '1.2.3', logger: collected({}, lines) },
  );
  const { statusCode } = await server.app.inject({ url: '/api/v1/routes?prefix=x' });
  await server.close();
  expect([statusCode, lines]).toEqual([400, []]);
});
