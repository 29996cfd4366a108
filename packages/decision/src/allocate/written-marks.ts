// What stands beside the addresses in a Service and says who gave them: Herald's own annotations, and
// MetalLB's when compatibility is on. Annotations -> whether an address was given by one of them, and in
// which term of a leadership.
//
// Anybody who may edit a Service can write them, so they never widen anything: they decide only whether an
// address may be taken away again, and who keeps one that two Services hold.

import type { Service } from '@herald/api';
import type { Address } from '@herald/net';
import type { Spellings } from './address-request.ts';

/** The addresses that Herald wrote, separated by commas. */
const ALLOCATED_ADDRESSES = 'heraldbgp.io/allocated-addresses';
/** The term in which it did, in decimal. */
const ALLOCATED_TERM = 'heraldbgp.io/allocated-term';

const METALLB_MARKS: readonly string[] = [
  'metallb.io/ip-allocated-from-pool',
  'metallb.universe.tf/ip-allocated-from-pool',
];

/**
 * The term of an address that no term is known of: MetalLB gave it, or somebody by hand, or a version of
 * Herald that wrote none. It was there before any term, or it is not ours to take away; either way the
 * Service that has it keeps it, and the one that we gave it to moves.
 */
const BEFORE_ALL_TERMS = 0;

/** Digits enough for any number that is exact, and few enough to be one. */
const DECIMAL = /^\d{1,15}$/;

export function isMarkedGiven(service: Service, address: Address, spellings: Spellings): boolean {
  return (
    isListed(service, address) ||
    (spellings === 'compatible' && METALLB_MARKS.some((mark) => Object.hasOwn(service.annotations, mark)))
  );
}

/** Whether Herald's own marks are there, with or without the addresses that they stand beside. */
export function isMarked({ annotations }: Service): boolean {
  return Object.hasOwn(annotations, ALLOCATED_ADDRESSES) || Object.hasOwn(annotations, ALLOCATED_TERM);
}

/** In which term the Service was given the address. */
export function writtenTerm(service: Service, address: Address): number {
  const text = valueOf(service, ALLOCATED_TERM).trim();
  return isListed(service, address) && DECIMAL.test(text) ? Number(text) : BEFORE_ALL_TERMS;
}

function isListed(service: Service, { text }: Address): boolean {
  return valueOf(service, ALLOCATED_ADDRESSES)
    .split(',')
    .some((listed) => listed.trim() === text);
}

function valueOf({ annotations }: Service, name: string): string {
  return Object.hasOwn(annotations, name) ? (annotations[name] ?? '') : '';
}
