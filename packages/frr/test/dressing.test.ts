// What travels on the feed instead of attributes that bgpd would act on itself, and what the filters make of it.

import { community, exportTag, pathAttributes } from '@herald/net';
import type { LargeCommunity, PathAttributes, StandardCommunity } from '@herald/net';
import { describe, expect, it } from 'vitest';
import { feedAttributes, planConfig, renderConfig } from '../src/index.ts';
import { LOCAL_ASN, PLACEMENT, peer, plan } from './session-plan.ts';

interface Decided {
  readonly prepends?: number;
  readonly communities?: readonly string[];
}

function decided({ prepends = 0, communities = [] }: Decided): PathAttributes {
  const parsed = communities.map(community);
  return pathAttributes({
    asPath: Array.from({ length: prepends }, () => LOCAL_ASN),
    localPref: 100,
    med: 5,
    communities: parsed.filter((each): each is StandardCommunity => each.kind === 'standard'),
    largeCommunities: [
      exportTag(7),
      ...parsed.filter((each): each is LargeCommunity => each.kind === 'large'),
    ],
    linkBandwidth: undefined,
  });
}

describe('on the feed', () => {
  it.each<[string, Decided]>([
    ['nothing', {}],
    ['communities that bgpd passes on', { communities: ['65000:1', '65535:77', 'large:65000:1:2'] }],
  ])('%s: the same object', (_name, fields) => {
    const attributes = decided(fields);
    expect(feedAttributes(attributes)).toBe(attributes);
  });

  it.each<[string, Decided, string[], string[]]>([
    ['no-export', { communities: ['no-export', '65000:1'] }, ['65000:1'], ['4294967295:4:4294967041']],
    ['the same in numbers', { communities: ['65535:65281'] }, [], ['4294967295:4:4294967041']],
    ['prepended once', { prepends: 1 }, [], ['4294967295:3:1']],
    ['five times', { prepends: 5 }, [], ['4294967295:3:1', '4294967295:3:4']],
    ['sixteen times', { prepends: 16 }, [], ['4294967295:3:16']],
  ])('%s', (_name, fields, standard, tags) => {
    const carried = feedAttributes(decided(fields));
    expect(carried.asPath).toEqual([]);
    expect(carried.communities.map(({ text }) => text)).toEqual(standard);
    expect(carried.largeCommunities.map(({ text }) => text)).toEqual(['4294967295:1:7', ...tags]);
    expect(carried).toMatchObject({ localPref: 100, med: 5 });
  });
});

describe('the filters', () => {
  const text = renderConfig(
    planConfig(plan(peer('tor-1'), peer('rr-1', { number: 8, internal: true })), PLACEMENT).config,
  );

  it.each([...Array(16).keys()].map((index) => index + 1))('undo %i prepended AS numbers', (prepends) => {
    const { largeCommunities } = feedAttributes(decided({ prepends }));
    const added = largeCommunities.flatMap(({ text: tag }) => actionFor(tag)?.split(' ').slice(3) ?? []);
    expect(added).toEqual(Array.from({ length: prepends }, () => String(LOCAL_ASN)));
  });

  it.each([
    'graceful-shutdown',
    'accept-own',
    'llgr-stale',
    'no-llgr',
    'blackhole',
    'no-export',
    'no-advertise',
    'local-as',
    'no-peer',
  ])('put %s back', (name) => {
    const { communities, largeCommunities } = feedAttributes(decided({ communities: [name] }));
    expect(communities).toEqual([]);
    const actions = largeCommunities.flatMap(({ text: tag }) => actionFor(tag) ?? []);
    expect(actions.map((action) => action.toLowerCase())).toEqual([`set community ${name} additive`]);
  });

  it('prepend for external peers only', () => {
    expect(clauses('herald-out-7')).toContain('call herald-prepend');
    expect(clauses('herald-out-8-internal')).not.toContain('call herald-prepend');
    expect(clauses('herald-out-8-internal')).toContain('call herald-well-known');
  });

  /** The `set` of the clause that matches the list with this tag. */
  function actionFor(tag: string): string | undefined {
    const list = new RegExp(`standard (\\S+) seq 10 permit ${tag}$`, 'm').exec(text)?.[1];
    return new RegExp(`match large-community ${list}\\n (set (?:community|as-path) .*)$`, 'm').exec(
      text,
    )?.[1];
  }

  function clauses(map: string): string {
    return text.split('!\n').find((block) => block.startsWith(`route-map ${map} `)) ?? '';
  }
});
