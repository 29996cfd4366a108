// Feeds in each state that has a connection, brought there by a scripted peer.

import { path, routes, tableOf } from '../tables.ts';
import { remoteOpen, ScriptedFeed, turn } from './scripted-feed.ts';

export const TABLE = tableOf(routes('198.51.100.7/32', path(1, '192.0.2.1')));
/** What a peer reads of a session that comes about. */
export const WHOLE_SESSION = ['open', 'keepalive', '+198.51.100.7/32', 'end-of-rib 4', 'end-of-rib 6'];

export function started(): ScriptedFeed {
  const script = new ScriptedFeed();
  script.feed.set(TABLE);
  return script;
}

export async function inOpenSent(): Promise<ScriptedFeed> {
  const script = started();
  script.connect();
  await turn();
  return script;
}

export async function inOpenConfirm(): Promise<ScriptedFeed> {
  const script = await inOpenSent();
  await script.receive(remoteOpen());
  return script;
}

export async function established(): Promise<ScriptedFeed> {
  const script = started();
  await script.establish();
  await turn();
  return script;
}

/** The states with a connection, and how a feed gets there. */
export const STATES = [
  ['open-sent', inOpenSent],
  ['open-confirm', inOpenConfirm],
  ['established', established],
] as const;
