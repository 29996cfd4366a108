// Which of two objects came first: the order in which peers and pools are judged, so that every replica and
// every restart agree on which one loses. Creation time, then name; no third word is needed, because names
// are unique.
//
// Also what a peer *is* across ticks: its UID, or its name where a manifest gives no UID.

import type { Meta } from '@herald/api';

export function compareByAge(a: Meta, b: Meta): number {
  return a.createdAt - b.createdAt || compareText(a.name, b.name);
}

/** By code unit: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) {
    return 0;
  }
  return a < b ? -1 : 1;
}

export function identityOf(object: Meta): string {
  return object.uid === '' ? `name:${object.name}` : object.uid;
}
