// Which page is asked for. The schema bounds both numbers, but text such as 1e400 becomes an infinite one,
// to which bounds are not applied and which no answer can say: it is refused here.

import { badParameter } from '../problem.ts';
import type { PageQuery } from '../render/page.ts';

export function readPage({ limit, offset }: PageQuery): PageQuery {
  for (const [name, value] of [['limit', limit] as const, ['offset', offset] as const]) {
    if (!Number.isFinite(value)) {
      throw badParameter(name, 'must be integer');
    }
  }
  return { limit, offset };
}
