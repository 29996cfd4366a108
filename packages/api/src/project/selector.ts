// Selectors as written -> selectors as matched: absent parts become empty ones.

import type { LabelSelector } from '../model/label-selector.ts';
import type { SelectorText } from '../schema/selector-field.ts';

export function toSelector({ matchLabels = {}, matchExpressions = [] }: SelectorText): LabelSelector {
  return {
    matchLabels,
    matchExpressions: matchExpressions.map(({ key, operator, values = [] }) => ({ key, operator, values })),
  };
}

export function toSelectors(texts: readonly SelectorText[] | undefined): readonly LabelSelector[] {
  return (texts ?? []).map(toSelector);
}
