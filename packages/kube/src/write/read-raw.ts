// Raw objects as the API server has them now, for the writers: one by name, or all of a collection page by
// page so that no answer is large. Uses the verb `list` alone. Absent objects are undefined, not an error.

import type { LeaderClient } from './leader-client.ts';
import { list, record, text } from '../transport/json.ts';

const PAGE = '500';

export async function readNamed(client: LeaderClient, collection: string, name: string): Promise<unknown> {
  const query = { fieldSelector: `metadata.name=${name}` };
  const answer = record(await client.read({ method: 'GET', path: collection, query }));
  return list(answer['items'])[0];
}

export async function* readAll(client: LeaderClient, collection: string): AsyncIterable<unknown> {
  let next = '';
  do {
    const query = { limit: PAGE, ...(next !== '' && { continue: next }) };
    const page = record(await client.read({ method: 'GET', path: collection, query }));
    yield* list(page['items']);
    next = text(record(page['metadata'])['continue']);
  } while (next !== '');
}

export function servicesOf(serviceKey: string): { readonly collection: string; readonly name: string } {
  const [namespace = '', name = ''] = serviceKey.split('/');
  return { collection: `/api/v1/namespaces/${namespace}/services`, name };
}
