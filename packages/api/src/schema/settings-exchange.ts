// How replicas tell each other how they are, and what a replica that ends waits for, as it is written in the settings.

import { parseAddress } from '@herald/net';
import { Type } from 'typebox';
import { rules } from './rule.ts';
import { milliseconds, pathText, ruleOf } from './settings-field.ts';

const URL_LENGTH = 128;
const MAX_REPLICAS = 16;

const URL_FORM = /^https?:\/\/(?:\[(?<ipv6>[0-9a-fA-F:.]+)\]|(?<ipv4>[0-9.]+)):(?<port>\d{1,5})$/;

/** With an address and no name: finding a replica must not depend on anything. */
export function isReplicaUrl(text: string): boolean {
  const { ipv4, ipv6, port } = URL_FORM.exec(text)?.groups ?? {};
  const parsed = parseAddress(ipv4 ?? ipv6 ?? '');
  const isWritten = parsed.ok && parsed.value.family === (ipv4 === undefined ? 6 : 4);
  return isWritten && Number(port) >= 1 && Number(port) <= 65535;
}

export const Exchange = Type.Object(
  {
    keyFile: Type.Optional(
      pathText(
        'File with the keys by which replicas know each other, one a line of at least 32 characters, the one in use first; without it they tell each other nothing.',
      ),
    ),
    replicas: Type.Array(
      Type.String({
        maxLength: URL_LENGTH,
        ...rules(
          ruleOf<string>(
            'must be the address of a pod listener, such as http://192.0.2.1:8443',
            isReplicaUrl,
          ),
        ),
      }),
      {
        description:
          'Pod listeners of other replicas; those that are found through the API server need not be named.',
        default: [],
        maxItems: MAX_REPLICAS,
      },
    ),
  },
  { description: 'What replicas tell each other, past the API server.', default: {} },
);

export const HandOver = Type.Object(
  {
    patience: milliseconds(
      'How long a replica that is told to end goes on announcing until another one serves its routers.',
      '20s',
      0,
      600_000,
    ),
  },
  { description: 'How a replica ends.', default: {} },
);
