import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address } from '@herald/net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SessionOutput, renderBoot } from '../src/index.ts';
import type { AppliedPeer, ApplyOutcome } from '../src/index.ts';
import { BgpdModel } from './bgpd-model.ts';
import { answerBytes, startFakeBgpd } from './fake-bgpd.ts';
import type { FakeBgpd } from './fake-bgpd.ts';
import { findVtysh } from './frr-program.ts';
import { LOCAL_ASN, PLACEMENT, ROUTER_ID, peer, plan } from './session-plan.ts';

const MODES: ReadonlySet<string> = new Set(['enable', 'configure terminal', 'end']);
const TOR = peer('tor-1');
const OTHER = peer('tor-2', { number: 8, address: address('192.0.2.3') });

let folder = '';
let bgpd: FakeBgpd | undefined;
let model: BgpdModel;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'herald-output-'));
  const boot = renderBoot(LOCAL_ASN, ROUTER_ID, PLACEMENT).split('\n');
  const lines = boot.map((line) => line.trim()).filter((line) => !/^(?:!|end|frr .*|)$/.test(line));
  model = new BgpdModel().run(lines);
});

afterEach(() => {
  bgpd?.close();
  rmSync(folder, { recursive: true });
});

/** What the model does with a command, unless the test says otherwise. */
async function output(
  answers: Readonly<Record<string, 'refuse' | 'ignore' | 'close'>> = {},
): Promise<SessionOutput> {
  bgpd = await startFakeBgpd((command, socket) => {
    const way = answers[command];
    if (way === 'close') {
      socket.destroy();
    } else if (way === 'refuse') {
      socket.write(answerBytes({ status: 13, text: `% no: ${command}\n` }));
    } else {
      socket.write(answerBytes(obey(command, way)));
    }
  });
  return new SessionOutput({
    vty: bgpd.settings,
    vtysh: findVtysh(),
    configDir: folder,
    placement: PLACEMENT,
  });
}

function obey(command: string, way: 'ignore' | undefined): { status: number; text: string } {
  if (command === 'show running-config') {
    return { status: 0, text: model.runningConfig() };
  }
  if (command === 'end') {
    model.run(['exit']);
  }
  if (!MODES.has(command) && way === undefined) {
    model.run([command]);
  }
  return command.endsWith(' graceful-restart')
    ? { status: 13, text: 'reset this peer to take effect\n% Invalid value\n' }
    : { status: 0, text: '' };
}

function peersOf(outcome: ApplyOutcome): (string | undefined)[] {
  return outcome.changed.flatMap((subject) => (subject.kind === 'neighbor' ? [subject.peer] : []));
}

describe('a plan that is applied', () => {
  it('is what bgpd runs afterwards, and nothing is done a second time', async () => {
    const out = await output();
    const first = await out.apply(plan(TOR, OTHER));
    expect({ peers: peersOf(first), problems: first.problems }).toEqual({
      peers: ['tor-1', 'tor-2'],
      problems: [],
    });
    expect(await out.apply(plan(TOR, OTHER))).toEqual({ changed: [], problems: [], refused: [] });
    expect(readFileSync(join(folder, 'frr.conf'), 'utf8')).toContain('description peer tor-2');
  });

  it('is applied again to a bgpd that has forgotten it', async () => {
    const out = await output();
    await out.apply(plan(TOR));
    model.run(['router bgp 65000', 'no neighbor 192.0.2.2', 'exit']);
    expect(peersOf(await out.apply(plan(TOR)))).toEqual(['tor-1']);
  });

  it('changes nothing when it was overtaken, and is asked after what bgpd runs is known', async () => {
    const out = await output();
    const before = model.runningConfig();
    const asked: string[][] = [];
    const outcome = await out.applyIf(plan(TOR), () => {
      asked.push([...(bgpd?.commands ?? [])]);
      return false;
    });
    expect(outcome).toBeUndefined();
    expect(model.runningConfig()).toBe(before);
    expect(asked).toEqual([['enable', 'show running-config']]);
    expect(peersOf(await out.apply(plan(TOR)))).toEqual(['tor-1']);
  });

  it('is applied whole before the next one begins', async () => {
    const out = await output();
    const both = [out.apply(plan(TOR)), out.apply(plan(OTHER))];
    expect((await Promise.all(both)).map(({ problems }) => problems)).toEqual([[], []]);
    expect(model.linesOf('192.0.2.2')).toEqual([]);
    expect(model.linesOf('192.0.2.3')).not.toEqual([]);
  });

  it('may hold a peer with graceful restart, although bgpd says that zebra is not there', async () => {
    const out = await output();
    const gracefulRestart = {
      enabled: true,
      restartTimeSeconds: 120,
      longLivedStaleTimeSeconds: undefined,
    };
    expect((await out.apply(plan({ ...TOR, gracefulRestart }))).problems).toEqual([]);
    expect(model.linesOf('192.0.2.2')).toContain('neighbor 192.0.2.2 graceful-restart');
  });

  it.each<[string, AppliedPeer]>([
    ['unresolved', { ...TOR, port: 1179, unresolved: true }],
    ['with a password that cannot be used', { ...TOR, port: 1179, password: 'two words' }],
  ])('leaves a peer %s as it runs and applies the others', async (_name, held) => {
    const out = await output();
    await out.apply(plan(TOR));
    const before = model.linesOf('192.0.2.2');
    const outcome = await out.apply({ ...plan(), peers: [held, OTHER] });
    expect(peersOf(outcome)).toEqual(['tor-2']);
    expect(model.linesOf('192.0.2.2')).toEqual(before);
  });
});

describe('what goes wrong', () => {
  const refused = 'neighbor 192.0.2.2 password geheim';

  it('with one peer stays with it: it keeps shut, the others are applied', async () => {
    const out = await output({ [refused]: 'refuse' });
    const outcome = await out.apply(plan({ ...TOR, password: 'geheim' }, OTHER));
    expect(outcome.problems).toEqual([
      {
        subject: { kind: 'neighbor', address: '192.0.2.2', peer: 'tor-1' },
        command: 'neighbor 192.0.2.2 password ********',
        message: '% no: neighbor 192.0.2.2 password ********',
      },
    ]);
    expect(model.linesOf('192.0.2.2')).toContain('neighbor 192.0.2.2 shutdown');
    expect(model.linesOf('192.0.2.3')).toContain('neighbor 192.0.2.3 activate');
    expect(model.linesOf('192.0.2.3')).not.toContain('neighbor 192.0.2.3 shutdown');
  });

  it('is repaired by the next application', async () => {
    await (await output({ [refused]: 'refuse' })).apply(plan({ ...TOR, password: 'geheim' }));
    bgpd?.close();
    const again = await (await output()).apply(plan({ ...TOR, password: 'geheim' }));
    expect(again.problems).toEqual([]);
    expect(model.linesOf('192.0.2.2')).toContain(refused);
    expect(model.linesOf('192.0.2.2')).not.toContain('neighbor 192.0.2.2 shutdown');
  });

  it('unsaid, is seen: bgpd accepts a command and does not do it', async () => {
    const out = await output({ 'neighbor 192.0.2.2 timers 10 30': 'ignore' });
    const { problems } = await out.apply(plan(TOR));
    expect(problems.map(({ subject, message }) => ({ subject, message }))).toEqual([
      {
        subject: { kind: 'neighbor', address: '192.0.2.2', peer: 'tor-1' },
        message: expect.stringContaining('bgpd still differs'),
      },
    ]);
  });

  it.each(['show running-config', 'configure terminal', 'neighbor 192.0.2.2 timers 10 30'])(
    'when bgpd dies at "%s" is said',
    async (command) => {
      const out = await output({ [command]: 'close' });
      await expect(out.apply(plan(TOR))).rejects.toMatchObject({ code: 'Unreachable' });
    },
  );

  it.each(['show running-config', 'configure terminal'])('when "%s" is refused is said', async (command) => {
    const out = await output({ [command]: 'refuse' });
    await expect(out.apply(plan(TOR))).rejects.toMatchObject({ code: 'Rejected' });
  });
});
