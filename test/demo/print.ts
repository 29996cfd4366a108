// How the demo reads: for each step what was done, what each router has now (table and kernel), who answers,
// and whether it is as it should be. Text only; colour where the terminal has it.

import { styleText } from 'node:util';

import type { Routes } from './expectation.ts';
import { ROUTER_NAMES, ROUTERS, type RouterName } from './scene.ts';
import type { StepResult } from './walk.ts';

const BAR = 24;

export function renderStep(result: StepResult, number: number, count: number): string {
  return [
    '',
    styleText('bold', `[${number}/${count}] ${result.title}`),
    styleText('dim', `      $ ${result.change}`),
    ...routeLines(result),
    ...answerLines(result),
    verdictLine(result),
    '',
  ].join('\n');
}

/** Where the routers agree with each other, and table with kernel, they are shown once. */
function routeLines(result: StepResult): string[] {
  const texts = ROUTER_NAMES.flatMap((name) => [result.found[name].bgp, result.found[name].kernel]).map(
    (routes) => JSON.stringify(routes),
  );
  if (new Set(texts).size === 1) {
    const heading = `${ROUTER_NAMES.join(' and ')}: BGP table and kernel FIB`;
    return [`      ${heading}`, ...prefixLines(result.found['tor-frr'].kernel)];
  }
  return ROUTER_NAMES.flatMap((name) => [
    `      ${name}: BGP table`,
    ...prefixLines(result.found[name].bgp),
    `      ${name}: kernel FIB`,
    ...prefixLines(result.found[name].kernel),
  ]);
}

function prefixLines(routes: Routes): string[] {
  const lines = Object.entries(routes).map(
    ([prefix, hops]) => `        ${prefix.padEnd(22)} via ${hops.join(', ')}`,
  );
  return lines.length > 0 ? lines : ['        (none)'];
}

function answerLines(result: StepResult): string[] {
  return ROUTER_NAMES.flatMap((name) => [
    `      answers through ${name}`,
    ...shareLines(result.answers[name]),
  ]);
}

function shareLines(answers: Readonly<Record<string, number>>): string[] {
  const all = Object.values(answers).reduce((sum, count) => sum + count, 0);
  return Object.entries(answers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([worker, count]) => {
      const share = count / all;
      const bar = '#'.repeat(Math.round(share * BAR)).padEnd(BAR);
      return `        ${worker}  ${bar} ${Math.round(share * 100)}%`;
    });
}

function verdictLine(result: StepResult): string {
  const facts = `routers right after ${result.convergedMs} ms, ${result.requests} requests, ${result.lost} lost, ${result.connectionsDropped} sessions dropped`;
  return result.ok
    ? styleText('green', `      ok: ${facts}`)
    : styleText('red', `      NOT AS EXPECTED: ${facts}\n${problems(result)}`);
}

function problems(result: StepResult): string {
  return [
    result.exact ? '' : `        expected ${JSON.stringify(result.expected)}`,
    result.weightsAsExpected ? '' : '        the weights of the workers are not the expected ones',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

export function renderIntroduction(): string {
  const names: Record<RouterName, string> = { 'tor-frr': 'FRR', 'tor-bird': 'BIRD 2' };
  return [
    '',
    styleText('bold', 'Herald: routes for Kubernetes Services, announced from one unprivileged pod'),
    '',
    '  client - tor-frr  -+            +- worker-0  worker-1  worker-2     answer requests, run nothing of Herald',
    '  client - tor-bird -+- segment --+- control-plane node - pod         controller + bgpd, uid 65532, no capability',
    '',
    ...ROUTER_NAMES.map((name) => `  ${name.padEnd(9)} ${names[name]}, AS ${ROUTERS[name].asn}`),
    '',
  ].join('\n');
}
