// Fields that every status has. Status is written by Herald and read by people and tools; nothing in it is
// ever read back as input.

import { Type } from 'typebox';
import { choice } from './choice.ts';

const Condition = Type.Object({
  type: Type.String({ description: 'What the condition is about.', minLength: 1, maxLength: 316 }),
  status: choice(['True', 'False', 'Unknown'], { description: 'Whether it holds.' }),
  observedGeneration: Type.Optional(
    Type.Integer({ description: 'Generation of the object that was judged.', format: 'int64', minimum: 0 }),
  ),
  lastTransitionTime: Type.String({
    description: 'When the status last changed.',
    format: 'date-time',
    maxLength: 64,
  }),
  reason: Type.String({ description: 'One word from the list of reasons.', minLength: 1, maxLength: 64 }),
  message: Type.String({ description: 'The sentence that explains the reason.', maxLength: 1024 }),
});

export type Condition = Type.Static<typeof Condition>;

export const ConditionsField = Type.Optional(
  Type.Array(Condition, {
    description: 'What is known about the object.',
    maxItems: 8,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  }),
);

export const ObservedGenerationField = Type.Optional(
  Type.Integer({ description: 'Generation that this status is about.', format: 'int64', minimum: 0 }),
);

export function countField(description: string) {
  return Type.Optional(
    Type.Integer({ description, format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  );
}

export function textField(description: string, maxLength: number) {
  return Type.Optional(Type.String({ description, maxLength }));
}
