// Carries out one step of the demo while the clients go on asking: act, wait until both routers have exactly
// what is expected, then ask everything once more and look at who answers. Returns what was found; a
// step that does not get there is a result too, with what was seen instead.

import type { RequestTotals } from '@herald/lab';

import { exactly, routesOf, type RouterRoutes, type Routes } from './expectation.ts';
import { ROUTER_NAMES, type RouterName, type Scene } from './scene.ts';
import type { Step, Weights } from './steps.ts';

export interface StepResult {
  readonly title: string;
  readonly change: string;
  readonly expected: Routes;
  readonly found: Readonly<Record<RouterName, RouterRoutes>>;
  readonly exact: boolean;
  /** From the change until both routers' kernels had it. */
  readonly convergedMs: number;
  readonly requests: number;
  readonly lost: number;
  /** Worker -> answers, through each router, after the change. */
  readonly answers: Readonly<Record<RouterName, Readonly<Record<string, number>>>>;
  /** Kernel weights and shares of the FRR router are the expected ones; true where none are expected. */
  readonly weightsAsExpected: boolean;
  readonly connectionsDropped: number;
  readonly ok: boolean;
}

const RATE_PER_SECOND = 200;
const LOOK_REQUESTS = 240;
/** How far a measured share may be from the expected one: flows are hashed, and there are few of them. */
const SHARE_TOLERANCE = 0.12;

export async function walk(scene: Scene, step: Step, serving: readonly string[]): Promise<StepResult> {
  await eachRouter(async (name) => startAsking(scene, name, serving));
  const started = performance.now();
  await step.act(scene);
  const expected = step.expected(scene);
  const exact = await reached(scene, expected);
  const convergedMs = Math.round(performance.now() - started);
  const during = await eachRouter(async (name) => stopAsking(scene, name, serving));
  const targets = [...serving, ...(step.serves ?? [])];
  const after = await eachRouter((name) => look(scene, name, targets));
  const found = await eachRouter((name) => routesOf(scene.topology.router(name)));
  const totals = ROUTER_NAMES.flatMap((name) => [during[name] ?? [], after[name]]).flat();
  const lost = sum(totals, (total) => total.lost);
  const dropped = await connectionsDropped(scene);
  const weightsAsExpected = step.weights === undefined || (await hasWeights(scene, step.weights));
  return {
    title: step.title,
    change: step.change,
    expected,
    found,
    exact,
    convergedMs,
    requests: sum(totals, (total) => total.sent),
    lost,
    answers: { 'tor-frr': after['tor-frr'].answers, 'tor-bird': after['tor-bird'].answers },
    weightsAsExpected,
    connectionsDropped: dropped,
    ok: exact && lost === 0 && dropped === 0 && weightsAsExpected,
  };
}

async function startAsking(scene: Scene, name: RouterName, targets: readonly string[]): Promise<void> {
  if (targets.length > 0) {
    await scene.topology.client(name).start({ targets, ratePerSecond: RATE_PER_SECOND });
  }
}

async function stopAsking(
  scene: Scene,
  name: RouterName,
  targets: readonly string[],
): Promise<RequestTotals | undefined> {
  return targets.length > 0 ? await scene.topology.client(name).stop() : undefined;
}

async function look(scene: Scene, name: RouterName, targets: readonly string[]): Promise<RequestTotals> {
  return await scene.topology
    .client(name)
    .send({ targets, count: LOOK_REQUESTS, ratePerSecond: RATE_PER_SECOND });
}

async function reached(scene: Scene, expected: Routes): Promise<boolean> {
  try {
    await eachRouter((name) => exactly(scene.topology.router(name), expected));
    return true;
  } catch {
    return false;
  }
}

async function connectionsDropped(scene: Scene): Promise<number> {
  const pod = scene.topology.podVisibleAs().ipv4;
  const dropped = await eachRouter((name) => scene.topology.router(name).connectionsDropped(pod));
  return sum(Object.values(dropped), (count) => count);
}

async function hasWeights(scene: Scene, { addresses, byWorker }: Weights): Promise<boolean> {
  const { answers } = await look(scene, 'tor-frr', addresses);
  const fib = await scene.topology.router('tor-frr').kernelFib(4);
  const hops = fib.get(`${addresses[0]}/32`) ?? [];
  const kernel = new Map(hops.map(({ address, weight }) => [address, weight]));
  return scene.topology.workers.every(({ name, ipv4 }) => {
    const expected = share(byWorker[name], Object.values(byWorker));
    const isAnswering = Math.abs(share(answers[name], Object.values(answers)) - expected) <= SHARE_TOLERANCE;
    return isAnswering && Math.abs(share(kernel.get(ipv4), [...kernel.values()]) - expected) < 0.01;
  });
}

function share(part: number | undefined, all: readonly number[]): number {
  return (part ?? 0) / sum(all, (value) => value);
}

async function eachRouter<T>(act: (name: RouterName) => Promise<T>): Promise<Record<RouterName, T>> {
  const entries = await Promise.all(ROUTER_NAMES.map(async (name) => [name, await act(name)] as const));
  return Object.fromEntries(entries) as Record<RouterName, T>;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
