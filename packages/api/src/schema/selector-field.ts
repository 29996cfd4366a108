// Fields that select objects: by name, or by a Kubernetes label selector. The bounds are far above real
// use; they exist because CEL and the API server charge for what could be there.

import { Type } from 'typebox';
import { choice } from './choice.ts';
import { rules, type Rule } from './rule.ts';

const NAME_LENGTH = 253;
/** A prefix of a DNS subdomain, a slash and a name. */
const LABEL_KEY_LENGTH = 317;
const LABEL_VALUE_LENGTH = 63;
const SELECTORS = 16;

interface Expression {
  readonly operator: string;
  readonly values?: readonly string[];
}

const VALUES_FIT_OPERATOR: Rule<Expression> = {
  must: 'must have a value for the operators In and NotIn, and none for Exists and DoesNotExist',
  cel: "(self.operator in ['In', 'NotIn']) == (has(self.values) && self.values.size() > 0)",
  field: 'values',
  holds: ({ operator, values = [] }) => ['In', 'NotIn'].includes(operator) === values.length > 0,
};

const Expression = Type.Object(
  {
    key: Type.String({ description: 'Label key.', minLength: 1, maxLength: LABEL_KEY_LENGTH }),
    operator: choice(['In', 'NotIn', 'Exists', 'DoesNotExist'], {
      description: 'How the label relates to the values.',
    }),
    values: Type.Optional(
      Type.Array(Type.String({ maxLength: LABEL_VALUE_LENGTH }), {
        description: 'Values for In and NotIn.',
        maxItems: 32,
      }),
    ),
  },
  rules(VALUES_FIT_OPERATOR),
);

export const LabelSelectorField = Type.Object({
  matchLabels: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      description: 'Labels that have to be present with exactly these values.',
      maxProperties: 16,
      additionalProperties: { type: 'string', maxLength: LABEL_VALUE_LENGTH },
    }),
  ),
  matchExpressions: Type.Optional(
    Type.Array(Expression, { description: 'Conditions that all have to hold.', maxItems: 16 }),
  ),
});

export type SelectorText = Type.Static<typeof LabelSelectorField>;

export function selectorField(description: string) {
  return Type.Optional(Type.Object(LabelSelectorField.properties, { description }));
}

export function selectorsField(description: string) {
  return Type.Optional(Type.Array(LabelSelectorField, { description, maxItems: SELECTORS }));
}

export function namesField(description: string, maxItems: number, maxLength = NAME_LENGTH) {
  return Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength }), {
      description,
      maxItems,
      'x-kubernetes-list-type': 'set',
    }),
  );
}

export function nameField(description: string) {
  return Type.String({ description, minLength: 1, maxLength: NAME_LENGTH });
}
