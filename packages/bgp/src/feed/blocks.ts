// In which portions changes are packed: changes in, UPDATE messages out. Pure, and lazy like pack.ts.
//
// An UPDATE carries one next hop, so packing goes from next hop to next hop, over all prefixes. That is the smallest
// number of messages, and it does no harm where a router adds or drops a path. But a router that gets the first path of
// a prefix with a better rank uses that one alone until it has the others (RFC 4271 section 9.1.2.2: equal MED first,
// then several paths): with a whole table in one portion, every prefix of it has one next hop meanwhile. So prefixes
// with another rank are packed some at a time, each with all of its paths, after the changes that are not in question.

import type { UpdateMessage } from '../wire/message.ts';
import type { Change } from './diff.ts';
import { pack, type PackOptions, type Refusal } from './pack.ts';

/** Paths in a portion of prefixes with another rank: read by bgpd within some 10 ms, and by a router in less. */
export const BLOCK_PATHS = 1024;

export function* packInBlocks(
  changes: readonly Change[],
  options: PackOptions,
): Generator<UpdateMessage | Refusal, void, undefined> {
  const reranked = changes.filter(({ isReranked }) => isReranked);
  if (reranked.length === 0) {
    return yield* pack(changes, options);
  }
  yield* pack(
    changes.filter(({ isReranked }) => !isReranked),
    options,
  );
  for (const block of blocks(reranked)) {
    yield* pack(block, options);
  }
}

/** Whole prefixes, as many as have about so many paths. */
function* blocks(changes: readonly Change[]): Generator<readonly Change[], void, undefined> {
  let start = 0;
  let paths = 0;
  for (const [index, { announced }] of changes.entries()) {
    if (paths > 0 && paths + announced.length > BLOCK_PATHS) {
      yield changes.slice(start, index);
      start = index;
      paths = 0;
    }
    paths += announced.length;
  }
  yield changes.slice(start);
}
