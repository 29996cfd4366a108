// Kubernetes label selectors: matchLabels and matchExpressions are all required to hold. An empty selector
// matches everything, as in Kubernetes; so does an empty list of selectors. Selectors are validated when
// they are projected, so matching never fails.

import type { Labels } from './meta.ts';

export type SelectorOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';

export interface LabelExpression {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

export interface LabelSelector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly LabelExpression[];
}

export function matchesSelector(selector: LabelSelector, labels: Labels): boolean {
  return (
    Object.entries(selector.matchLabels).every(([key, value]) => labelOf(labels, key) === value) &&
    selector.matchExpressions.every((expression) => matchesExpression(expression, labels))
  );
}

/** An empty list selects everything; otherwise one of the selectors has to match. */
export function matchesAny(selectors: readonly LabelSelector[], labels: Labels): boolean {
  return selectors.length === 0 || selectors.some((selector) => matchesSelector(selector, labels));
}

function matchesExpression(expression: LabelExpression, labels: Labels): boolean {
  const value = labelOf(labels, expression.key);
  switch (expression.operator) {
    case 'In':
      return value !== undefined && expression.values.includes(value);
    case 'NotIn':
      // Kubernetes: an absent label is "not in" any set.
      return value === undefined || !expression.values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
