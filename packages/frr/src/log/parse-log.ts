// A line of bgpd's log -> level, message and, for what people look for, an event. Pure.
//
// Two warnings repeat every second because there is no zebra, and mean nothing here: the label manager
// that cannot be reached and the next-hop registration that cannot be sent. They, and only they, give
// undefined. Passwords are masked: bgpd logs a configuration line that it cannot read, whole.

import { maskSecrets } from './mask-secrets.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly event: LogEvent | undefined;
}

export type LogEvent =
  | {
      readonly kind: 'session';
      readonly address: string;
      readonly instance: string;
      readonly up: boolean;
      /** bgpd's words; '' when up. */
      readonly cause: string;
    }
  | { readonly kind: 'end-of-rib'; readonly address: string; readonly family: 4 | 6 };

const LINE =
  /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d+)? (?:(\w+): )?(?:[A-Z]+: )(?:\[[A-Z0-9-]+\])?(?:\[EC (\d+)\])? ?(.*)$/;
const NOISE: readonly RegExp[] = [
  /^bgp_zebra_label_manager_connect: failed connecting synchronous zclient!$/,
  /^sendmsg_nexthop: zclient_send_message\(\) failed$/,
];
const ADJACENCY = /^%ADJCHANGE: neighbor (\S+?)\(\S*\) in vrf (\S+) (Up|Down) ?(.*)$/;
const END_OF_RIB = /rcvd End-of-RIB for IPv([46]) Unicast from (\S+) /;

/** FRR's names of the syslog priorities (RFC 5424). */
const LEVELS: Readonly<Record<string, LogLevel>> = {
  emergencies: 'error',
  alerts: 'error',
  critical: 'error',
  errors: 'error',
  warnings: 'warn',
  notifications: 'info',
  informational: 'info',
  debugging: 'debug',
};

/** Undefined for an empty line and for the two noises. A line of another form is a message as it is. */
export function parseLog(line: string): LogLine | undefined {
  const [, priority, errorCode, text] = LINE.exec(line.trimEnd()) ?? [];
  const message = maskSecrets(text ?? line.trim());
  if (message === '' || NOISE.some((noise) => noise.test(message))) {
    return undefined;
  }
  return { level: level(priority, errorCode), message, event: event(message) };
}

/** Before its configuration is read, bgpd logs without priorities; an error code then means a warning. */
function level(priority: string | undefined, errorCode: string | undefined): LogLevel {
  return LEVELS[priority ?? ''] ?? (errorCode === undefined ? 'info' : 'warn');
}

function event(message: string): LogEvent | undefined {
  const [, address, instance, direction, cause] = ADJACENCY.exec(message) ?? [];
  if (address !== undefined && instance !== undefined) {
    return { kind: 'session', address, instance, up: direction === 'Up', cause: cause ?? '' };
  }
  const [, family, sender] = END_OF_RIB.exec(message) ?? [];
  return sender === undefined
    ? undefined
    : { kind: 'end-of-rib', address: sender, family: family === '6' ? 6 : 4 };
}
