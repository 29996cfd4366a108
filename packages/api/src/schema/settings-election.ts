// Leader election as it is written in the settings: one Lease and its three times, of which each must be
// shorter than the one before, or two replicas could lead at once.

import { Type } from 'typebox';
import { parseDuration } from '../duration.ts';
import { OBJECT_NAME_LENGTH, isObjectName } from './object-name.ts';
import { rules } from './rule.ts';
import { milliseconds, ruleOf } from './settings-field.ts';

interface ElectionText {
  readonly leaseDuration: string;
  readonly renewDeadline: string;
  readonly retryPeriod: string;
}

function isShorter(a: string, b: string): boolean {
  const [shorter, longer] = [parseDuration(a), parseDuration(b)];
  return !shorter.ok || !longer.ok || shorter.value < longer.value;
}

export const Election = Type.Object(
  {
    leaseName: Type.String({
      description: "Name of the Lease, in the pod's namespace.",
      default: 'herald',
      maxLength: OBJECT_NAME_LENGTH,
      ...rules(ruleOf<string>('must be lowercase letters, digits, - and . only', isObjectName)),
    }),
    leaseDuration: milliseconds(
      'A leader that was not heard of for this long may be followed.',
      '6s',
      1000,
      600_000,
    ),
    renewDeadline: milliseconds(
      'A leader that could not renew for this long stops writing.',
      '4s',
      500,
      600_000,
    ),
    retryPeriod: milliseconds('Time between two attempts to renew or to become leader.', '1s', 100, 60_000),
  },
  {
    description: 'Which replica gives out addresses and writes status.',
    default: {},
    ...rules<ElectionText>(
      {
        ...ruleOf('must be shorter than election.leaseDuration', ({ renewDeadline, leaseDuration }) =>
          isShorter(renewDeadline, leaseDuration),
        ),
        field: 'renewDeadline',
      },
      {
        ...ruleOf('must be shorter than election.renewDeadline', ({ retryPeriod, renewDeadline }) =>
          isShorter(retryPeriod, renewDeadline),
        ),
        field: 'retryPeriod',
      },
    ),
  },
);
