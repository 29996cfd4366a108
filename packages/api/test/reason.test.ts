import { describe, expect, it } from 'vitest';
import { REASONS } from '../src/index.ts';

const reasons = Object.entries(REASONS);

describe('a reason', () => {
  it.each(reasons)('%s is one word of the form that Kubernetes wants', (word) => {
    expect(word).toMatch(/^[A-Z][A-Za-z]+$/);
    expect(word.length).toBeLessThanOrEqual(64);
  });

  it.each(reasons)('%s has one sentence without numbers', (_, sentence) => {
    expect(sentence).toMatch(/^[A-Z][^0-9]*\.$/);
  });

  it('has a sentence of its own', () => {
    expect(new Set(Object.values(REASONS)).size).toBe(reasons.length);
  });
});
