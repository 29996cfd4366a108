// The fields of a BGPPeer that make the session: who the router is, how it is reached, the timers.

import { Type } from 'typebox';
import { addressField } from './address-field.ts';
import { asnField } from './asn-field.ts';
import { choice } from './choice.ts';
import { durationField } from './duration-field.ts';
import { nameField } from './selector-field.ts';

/** Hold and connect timers have two octets in BGP (RFC 4271 section 4.2). */
const TWO_OCTETS = 65535;

const PasswordSecret = Type.Object(
  {
    name: nameField("Name of the Secret, in Herald's namespace."),
    key: Type.String({ description: 'Key in the Secret.', minLength: 1, maxLength: 253 }),
  },
  { description: 'Where the TCP MD5 password (RFC 2385) is. Does not survive masquerading of pod traffic.' },
);

export const PEER_SESSION = {
  peerAddress: addressField('Address of the router.'),
  peerPort: Type.Integer({
    description: 'TCP port of the router.',
    format: 'int32',
    minimum: 1,
    maximum: 65535,
    default: 179,
  }),
  peerASN: Type.Optional(asnField('AS number of the router.')),
  dynamicASN: Type.Optional(
    choice(['internal', 'external'], {
      description: 'Instead of peerASN: any router of the same AS (internal) or of another one (external).',
    }),
  ),
  localASN: Type.Optional(asnField("AS number shown to this external peer instead of Herald's own.")),
  sourceAddress: Type.Optional(
    addressField('Address of the pod to speak from, for pods with several networks.'),
  ),
  holdTime: durationField(
    'The session ends when nothing is heard for this long; 0s turns it off.',
    { minSeconds: 3, maxSeconds: TWO_OCTETS, zero: 'off' },
    '30s',
  ),
  keepaliveTime: Type.Optional(
    durationField('Time between keepalives; default a third of holdTime.', {
      minSeconds: 1,
      maxSeconds: TWO_OCTETS,
      zero: 'off',
    }),
  ),
  connectTime: durationField(
    'Time between attempts to connect.',
    { minSeconds: 1, maxSeconds: TWO_OCTETS },
    '5s',
  ),
  ebgpMultiHop: Type.Optional(
    Type.Integer({
      description: 'TTL of packets towards an external peer; default 255.',
      format: 'int32',
      minimum: 1,
      maximum: 255,
    }),
  ),
  ttlSecurityHops: Type.Optional(
    Type.Integer({
      description: 'Drop packets that come from further away (GTSM, RFC 5082).',
      format: 'int32',
      minimum: 1,
      maximum: 254,
    }),
  ),
  passwordSecret: Type.Optional(PasswordSecret),
  shutdown: Type.Boolean({ description: 'Keep the session administratively down.', default: false }),
};
