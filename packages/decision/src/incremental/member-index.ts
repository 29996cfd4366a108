// Prefix text -> the Services in it. Says which prefixes a changed Service touches, those that it left and
// those that it is in now.

import type { PersistentMap } from '@herald/net';
import type { Member } from '../routes/prefix-state.ts';
import type { ServiceRoutes } from '../routes/service-routes.ts';
import type { ServiceChange } from './index-change.ts';

/** Members sorted by Service key, never empty. */
export type MemberIndex = PersistentMap<readonly Member[]>;

export interface MemberChanges {
  readonly index: MemberIndex;
  readonly prefixes: readonly string[];
}

export function indexMembers(index: MemberIndex, changes: readonly ServiceChange[]): MemberChanges {
  const touched = new Map<string, Member[]>();
  for (const { key, before } of changes) {
    for (const text of new Set(before?.memberships.map(({ prefix }) => prefix.text))) {
      const members = draft(touched, index, text);
      touched.set(
        text,
        members.filter(({ of }) => of.key !== key),
      );
    }
  }
  for (const { after } of changes) {
    for (const member of after ? membersOf(after) : []) {
      draft(touched, index, member.membership.prefix.text).push(member);
    }
  }
  return { index: applied(index, touched), prefixes: [...touched.keys()] };
}

function membersOf(of: ServiceRoutes): Member[] {
  return of.memberships.map((membership) => ({ of, membership }));
}

function draft(touched: Map<string, Member[]>, index: MemberIndex, text: string): Member[] {
  let members = touched.get(text);
  if (!members) {
    members = [...(index.get(text) ?? [])];
    touched.set(text, members);
  }
  return members;
}

function applied(index: MemberIndex, touched: ReadonlyMap<string, Member[]>): MemberIndex {
  const entries = [...touched];
  return index.with(
    entries
      .filter(([, members]) => members.length > 0)
      .map(([text, members]) => [text, members.sort(byService)] as const),
    entries.filter(([, members]) => members.length === 0).map(([text]) => text),
  );
}

/** A Service may be in one prefix by several memberships: the order has to be the same however they came. */
function byService(a: Member, b: Member): number {
  return compareText(a.of.key, b.of.key) || compareText(orderOf(a), orderOf(b));
}

function orderOf({ membership }: Member): string {
  return `${membership.insteadOf ?? ''} ${membership.advertisements.key}`;
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
