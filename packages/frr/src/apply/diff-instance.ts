// The settings of one instance, and the commands that make an instance go. Pure.
//
// Two traps. `no router bgp N view NAME` deletes the *default* instance (FRR 10.3 looks for a name only
// behind the word `vrf`, *measured*); `no router bgp N vrf NAME` finds a view by its name. And a setting
// that is absent is FRR's default, so only the settings that Herald may leave out are ever taken back.

import type { InstanceStatements } from './statements.ts';

const VIEW = /^router bgp (\d+) view (\S+)$/;

export function removeInstance(header: string): string {
  return `no ${header.replace(VIEW, 'router bgp $1 vrf $2')}`;
}

export function isView(header: string): boolean {
  return VIEW.test(header);
}

const OPTIONAL_SETTINGS: readonly string[] = [
  'bgp graceful-restart restart-time',
  'bgp long-lived-graceful-restart stale-time',
];

export function changeSettings(before: InstanceStatements | undefined, after: InstanceStatements): string[] {
  const runs = before?.settings ?? [];
  const dropped = OPTIONAL_SETTINGS.filter(
    (words) => mentions(runs, words) && !mentions(after.settings, words),
  );
  return [...dropped.map((words) => `no ${words}`), ...after.settings.filter((line) => !runs.includes(line))];
}

function mentions(lines: readonly string[], words: string): boolean {
  return lines.some((line) => line.startsWith(words));
}
