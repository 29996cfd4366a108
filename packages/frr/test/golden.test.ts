import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConfig, planConfig, renderBoot, renderConfig } from '../src/index.ts';
import { BEHAVIOURS } from './behaviours.ts';
import { findVtysh } from './frr-program.ts';
import { LOCAL_ASN, PLACEMENT, ROUTER_ID, peer, plan } from './session-plan.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'herald-golden-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function acceptedByVtysh(name: string, text: string): Promise<void> {
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, text);
  await checkConfig(file, findVtysh());
}

describe('the rendered configuration', () => {
  it.each(Object.entries(BEHAVIOURS))('%s', async (name, sessions) => {
    const { config, refused } = planConfig(sessions, PLACEMENT);
    const text = renderConfig(config);
    expect(refused).toEqual([]);
    await expect(text).toMatchFileSnapshot(`golden/${name}.conf`);
    await acceptedByVtysh(name, text);
  });

  it('at boot speaks to the feed and to nobody else', async () => {
    const text = renderBoot(LOCAL_ASN, ROUTER_ID, PLACEMENT);
    await expect(text).toMatchFileSnapshot('golden/no-peer.conf');
    expect(new Set(text.match(/neighbor \S+/g))).toEqual(new Set(['neighbor 127.0.0.2']));
  });

  it('does not depend on the order of the peers', () => {
    const peers = BEHAVIOURS['fifty-peers']?.peers ?? [];
    const forwards = renderConfig(planConfig(plan(...peers), PLACEMENT).config);
    const backwards = renderConfig(planConfig(plan(...peers.toReversed()), PLACEMENT).config);
    expect(backwards).toBe(forwards);
  });
});

describe('the policy of every rendered configuration', () => {
  it.each(Object.entries(BEHAVIOURS))('%s: every peer is filtered both ways', (_name, sessions) => {
    const { config } = planConfig(sessions, PLACEMENT);
    for (const instance of config.instances) {
      for (const family of instance.families) {
        const activated = family.lines.filter((line) => line.endsWith(' activate'));
        for (const line of activated) {
          const neighbor = line.replace(/ activate$/, '');
          const feed = neighbor.includes(' 127.');
          expect(family.lines).toContainEqual(expect.stringMatching(`^${neighbor} route-map \\S+ out$`));
          expect(family.lines.includes(`${neighbor} route-map herald-deny in`)).toBe(!feed);
        }
      }
    }
  });

  it.each(Object.entries(BEHAVIOURS))('%s: every filter that is used exists', (_name, sessions) => {
    const { config } = planConfig(sessions, PLACEMENT);
    const used = renderConfig(config).matchAll(/(?:route-map| call) (\S+)(?: in| out|)$/gm);
    const defined = new Set(config.routeMaps.map((map) => map.name));
    expect([...used].map(([, name]) => name).filter((name) => !defined.has(name ?? ''))).toEqual([]);
  });

  it('of the last clause is to deny', () => {
    const { config } = planConfig(plan(peer('tor-1')), PLACEMENT);
    const callees = new Set([...renderConfig(config).matchAll(/ call (\S+)$/gm)].map(([, name]) => name));
    const filters = config.routeMaps.filter(({ name }) => !callees.has(name));
    const last = filters.map((map) => map.clauses.at(-1)?.header);
    expect(filters.length).toBeGreaterThan(0);
    expect(last.filter((header) => !/ deny \d+$/.test(header ?? ''))).toEqual([]);
  });
});

describe('a password that bgpd cannot be given', () => {
  const message = 'the password is empty or holds a space, a control character or a character outside ASCII';
  it.each([
    ['', message],
    ['two words', message],
    [' leading', message],
    ['line\nrouter bgp 1', message],
    ['nul\0', message],
    ['tab\t', message],
    ['schlüssel', message],
    ['x'.repeat(81), 'the password is longer than 80 bytes'],
  ])('%j refuses the peer and nobody else', (password, expected) => {
    const sessions = plan(
      peer('bad', { password }),
      peer('good', { number: 8, address: PLACEMENT.bgpdAddress }),
    );
    const { config, held, refused } = planConfig(sessions, PLACEMENT);
    expect(held).toEqual(new Set(['bad']));
    expect(refused).toEqual([{ peer: 'bad', reason: 'SecretInvalid', message: expected }]);
    expect(renderConfig(config)).not.toContain('peer bad');
    expect(renderConfig(config)).toContain('description peer good');
  });

  it('may have 80 bytes', () => {
    expect(planConfig(plan(peer('tor-1', { password: 'x'.repeat(80) })), PLACEMENT).refused).toEqual([]);
  });
});

it('a peer that is unresolved is held and not configured, and refused by nobody', () => {
  const sessions = { ...plan(), peers: [{ ...peer('tor-1'), unresolved: true }] };
  const { config, held, refused } = planConfig(sessions, PLACEMENT);
  expect({ held, refused }).toEqual({ held: new Set(['tor-1']), refused: [] });
  expect(renderConfig(config)).toBe(renderBoot(LOCAL_ASN, ROUTER_ID, PLACEMENT));
});

it('a staged peer has its filters and view made, while what runs of it is left as it runs', () => {
  const sessions = { ...plan(), peers: [{ ...peer('tor-1'), staged: true }] };
  const { config, held, refused } = planConfig(sessions, PLACEMENT);
  expect({ held, refused }).toEqual({ held: new Set(['tor-1']), refused: [] });
  expect(renderConfig(config)).not.toContain('peer tor-1');
  expect(renderConfig(config)).toContain('route-map herald-out-7 permit 20');
});
