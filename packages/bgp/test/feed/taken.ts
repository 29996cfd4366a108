// What an outbox hands out, as messages and as lines that people read: "+prefix", "-prefix", "end-of-rib family".

import { endOfRibFamily, type UpdateMessage } from '../../src/index.ts';
import type { Outbox } from '../../src/feed/outbox.ts';

/** Takes up to `count` messages; refusals are left out. */
export function taken(outbox: Outbox, count = Infinity): UpdateMessage[] {
  const messages: UpdateMessage[] = [];
  while (messages.length < count) {
    const next = outbox.next();
    if (next === undefined) {
      break;
    }
    if (next.kind === 'update') {
      messages.push(next);
    }
  }
  return messages;
}

/** Announced prefixes, of both families. */
export function prefixesOf({ announced, reach }: UpdateMessage): string[] {
  return [...announced, ...(reach?.nlri ?? [])].map(({ prefix }) => prefix.text);
}

function withdrawnBy({ withdrawn, unreach }: UpdateMessage): string[] {
  return [...withdrawn, ...(unreach?.nlri ?? [])].map(({ prefix }) => prefix.text);
}

export function linesOf(message: UpdateMessage): string[] {
  const family = endOfRibFamily(message);
  return family === undefined
    ? [
        ...prefixesOf(message).map((prefix) => `+${prefix}`),
        ...withdrawnBy(message).map((prefix) => `-${prefix}`),
      ]
    : [`end-of-rib ${family}`];
}

export function saidBy(outbox: Outbox, count?: number): string[] {
  return taken(outbox, count).flatMap(linesOf);
}
