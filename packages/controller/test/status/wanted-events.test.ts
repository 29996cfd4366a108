import { REASONS, type Reason, type Service } from '@herald/api';
import type { Allocation, ServiceVerdict } from '@herald/decision';
import { address } from '@herald/net';
import { describe, expect, test } from 'vitest';

import { NO_MEMORY, wantedStatus } from '../../src/status/status.ts';
import {
  advertisementVerdict,
  bgpPeer,
  byKey,
  byName,
  holding,
  inputs,
  mapOf,
  peerVerdict,
  pool,
  poolVerdict,
  service,
  verdict,
} from './status-inputs.ts';

const KEY = 'shop/web';
const [FIRST, SECOND, SIX] = ['198.51.100.1', '198.51.100.2', '2001:db8::1'];
const pools = byName(pool('public', '198.51.100.0/24'), pool('six', '2001:db8::/64'));

interface State {
  readonly service?: Service;
  readonly verdict?: ServiceVerdict;
  readonly unmet?: Reason;
  readonly leading?: boolean;
  readonly allocations?: readonly Allocation[];
}

function stateOf({ service: shown, verdict: judged, unmet, leading = true, allocations = [] }: State) {
  return inputs({
    world: {
      services: shown === undefined ? byKey() : byKey(shown),
      pools,
      leadership: { leading, term: 5 },
    },
    decision: {
      services: judged === undefined ? mapOf({}) : mapOf({ [KEY]: judged }),
      unmet: unmet === undefined ? mapOf({}) : mapOf({ [KEY]: unmet }),
      allocations,
    },
  });
}

/** The Events wanted after each state. */
function told(...states: readonly State[]) {
  let memory = NO_MEMORY;
  return states.map((state) => {
    memory = wantedStatus(stateOf(state), memory);
    return memory.wanted.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
  });
}

const take = (reason: Reason): Allocation => ({
  kind: 'take',
  serviceKey: KEY,
  uid: 'uid-web',
  addresses: [],
  reason,
  term: 5,
});

const WITHOUT: State = { service: service(KEY), verdict: verdict('NoAddress') };
const WITH: State = { service: holding(KEY, [FIRST]), verdict: verdict('Advertised') };
const GIVEN = `Normal AddressGiven: The Service was given ${FIRST} from pool public.`;

describe('addresses', () => {
  test.for<{ what: string; states: readonly State[]; events: readonly string[] }>([
    { what: 'given', states: [WITHOUT, WITH], events: [GIVEN] },
    { what: 'given to a Service that is new', states: [{}, WITH], events: [GIVEN] },
    {
      what: 'held since before',
      states: [WITH, { ...WITH, verdict: verdict('NoUsableEndpoint') }],
      events: [],
    },
    { what: 'wanted and not given yet', states: [WITHOUT, WITHOUT], events: [] },
    {
      what: 'of both families',
      states: [WITHOUT, { ...WITH, service: holding(KEY, [FIRST, SIX]) }],
      events: [
        `Normal AddressGiven: The Service was given ${FIRST} from pool public and ${SIX} from pool six.`,
      ],
    },
    {
      what: 'of no pool that there is',
      states: [WITHOUT, { ...WITH, service: holding(KEY, ['203.0.113.1']) }],
      events: ['Normal AddressGiven: The Service was given 203.0.113.1.'],
    },
    {
      what: 'exchanged',
      states: [WITH, { ...WITH, service: holding(KEY, [SECOND]) }],
      events: [
        `Normal AddressChanged: The Service was given ${SECOND} from pool public instead of ${FIRST}.`,
      ],
    },
    {
      what: 'given by somebody else',
      states: [WITHOUT, { ...WITH, service: service(KEY, { ingress: [address(FIRST)] }) }],
      events: [],
    },
    {
      what: 'taken away',
      states: [{ ...WITH, allocations: [take('AddressNotInPool')] }, WITHOUT],
      events: [`Normal AddressTaken: The Service no longer has ${FIRST}. ${REASONS.AddressNotInPool}`],
    },
    {
      what: 'taken away by nobody that we know',
      states: [WITH, WITHOUT],
      events: [`Normal AddressTaken: The Service no longer has ${FIRST}.`],
    },
    { what: 'of a Service that is gone', states: [WITHOUT, WITH, {}], events: [] },
    {
      what: 'said until there is something newer',
      states: [WITHOUT, WITH, { ...WITH, verdict: verdict('NoUsableEndpoint') }],
      events: [GIVEN],
    },
    {
      what: 'not said of another Service of that name',
      states: [WITHOUT, WITH, { ...WITH, service: service(KEY, { uid: 'uid-other' }) }],
      events: [],
    },
  ])('$what', ({ states, events }) => {
    expect(told(...states).at(-1)).toEqual(events);
  });

  test('an Event is about the Service', () => {
    const { wanted } = wantedStatus(stateOf(WITH), wantedStatus(stateOf(WITHOUT), NO_MEMORY));
    expect(wanted.events.map(({ object }) => object)).toEqual([
      { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web', uid: 'uid-web' },
    ]);
  });
});

const SHORT: State = { ...WITHOUT, unmet: 'PoolExhausted' };
const WARNING = `Warning PoolExhausted: ${REASONS.PoolExhausted}`;

describe('what a Service cannot have', () => {
  test.for<Reason>(['PoolExhausted', 'NoPool', 'AddressInUse', 'RequestInvalid', 'SharingPortClash'])(
    '%s is a warning, also while it is announced with less',
    (unmet) => {
      const warned = [`Warning ${unmet}: ${REASONS[unmet]}`];
      expect(told({ ...WITHOUT, unmet })).toEqual([warned]);
      expect(told({ ...WITH, unmet })).toEqual([warned]);
    },
  );

  const warned: readonly Reason[] = ['AddressConflict', 'AddressNotOurs', 'CoversInfrastructure'];
  test.for(warned)('%s is a warning, whether it is the reason or a remark', (reason) => {
    const events = [`Warning ${reason}: ${REASONS[reason]}`];
    expect(told({ ...WITHOUT, verdict: verdict(reason) })).toEqual([events]);
    expect(told({ ...WITH, verdict: verdict('Advertised', { remarks: ['MaxRoutes', reason] }) })).toEqual([
      events,
    ]);
  });

  const usual = (Object.keys(REASONS) as Reason[]).filter((reason) => !warned.includes(reason));
  test.for(usual)('%s by itself is none', (reason) => {
    expect(told({ ...WITHOUT, verdict: verdict(reason) })).toEqual([[]]);
  });

  test('a conflict is said before what is lacking', () => {
    expect(told({ ...SHORT, verdict: verdict('AddressConflict') })).toEqual([
      [`Warning AddressConflict: ${REASONS.AddressConflict}`],
    ]);
  });

  test('a warning ends with its reason, and the address that came is told', () => {
    expect(told(SHORT, SHORT, WITH)).toEqual([[WARNING], [WARNING], [GIVEN]]);
    expect(told(SHORT, WITHOUT)).toEqual([[WARNING], []]);
  });
});

describe('who speaks', () => {
  const standby = { leading: false };

  test('only the leader', () => {
    expect(told({ ...SHORT, ...standby }, { ...WITH, ...standby })).toEqual([[], []]);
  });

  test('a new leader does not tell what was before it', () => {
    expect(told({ ...WITHOUT, ...standby }, { ...WITH, ...standby }, WITH)).toEqual([[], [], []]);
    expect(told({ ...WITHOUT, ...standby }, WITH)).toEqual([[], []]);
  });

  test('a new leader warns of what is still so', () => {
    const conflict = { ...WITHOUT, verdict: verdict('AddressConflict') };
    const warning = [`Warning AddressConflict: ${REASONS.AddressConflict}`];
    expect(told({ ...conflict, ...standby }, conflict)).toEqual([[], warning]);
  });

  test('a leader that lost it forgets what it said', () => {
    expect(told(WITHOUT, WITH, { ...WITH, ...standby }, WITH).slice(1)).toEqual([[GIVEN], [], []]);
  });
});

describe('our own objects', () => {
  const objects = {
    peers: byName(bgpPeer('tor-1')),
    pools: byName(pool('public', '198.51.100.0/24')),
    advertisements: byName({ name: 'default', uid: 'uid-default' }) as never,
  };
  const eventsOf = (verdicts: object): string[] => {
    const { wanted } = wantedStatus(inputs({ world: objects, decision: verdicts }), NO_MEMORY);
    return wanted.events.map(({ object, type, reason }) => `${type} ${object.kind}/${object.name} ${reason}`);
  };

  test.for<{ what: string; verdicts: object; events: readonly string[] }>([
    {
      what: 'all well',
      verdicts: {
        peers: mapOf({ 'tor-1': peerVerdict() }),
        pools: mapOf({ public: poolVerdict([0, 256]) }),
        advertisements: mapOf({ default: advertisementVerdict('Accepted', 1) }),
      },
      events: [],
    },
    {
      what: 'an address twice',
      verdicts: { peers: mapOf({ 'tor-1': peerVerdict('DuplicatePeerAddress', false) }) },
      events: ['Warning BGPPeer/tor-1 DuplicatePeerAddress'],
    },
    {
      what: 'one path only',
      verdicts: { peers: mapOf({ 'tor-1': peerVerdict('NoAddPath') }) },
      events: ['Warning BGPPeer/tor-1 NoAddPath'],
    },
    { what: 'shut down', verdicts: { peers: mapOf({ 'tor-1': peerVerdict('PeerShutdown') }) }, events: [] },
    {
      what: 'a pool that is used up',
      verdicts: { pools: mapOf({ public: poolVerdict([256, 0], [0, 0], { reason: 'PoolExhausted' }) }) },
      events: ['Warning IPAddressPool/public PoolExhausted'],
    },
    {
      what: 'a pool that overlaps',
      verdicts: {
        pools: mapOf({ public: poolVerdict([0, 0], [0, 0], { accepted: false, reason: 'PoolOverlaps' }) }),
      },
      events: ['Warning IPAddressPool/public PoolOverlaps'],
    },
    {
      what: 'advertisements that contradict',
      verdicts: { advertisements: mapOf({ default: advertisementVerdict('AdvertisementConflict', 1) }) },
      events: ['Warning BGPAdvertisement/default AdvertisementConflict'],
    },
    {
      what: 'nothing selected',
      verdicts: { advertisements: mapOf({ default: advertisementVerdict('SelectsNothing', 0) }) },
      events: [],
    },
    {
      what: 'a verdict on what is gone',
      verdicts: { peers: mapOf({ x: peerVerdict('SecretMissing', false) }) },
      events: [],
    },
  ])('$what', ({ verdicts, events }) => {
    expect(eventsOf(verdicts)).toEqual(events);
  });
});

test('the same Events are the same list', () => {
  const first = wantedStatus(stateOf(SHORT), NO_MEMORY);
  const again = wantedStatus(stateOf({ ...SHORT, verdict: verdict('NoAddress', { nextHops: 1 }) }), first);
  expect(again.wanted.events).toBe(first.wanted.events);
  expect(again.wanted).toBe(first.wanted);
});
