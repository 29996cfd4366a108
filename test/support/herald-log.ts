// What Herald's processes logged, as objects: one JSON line each. Lines that are not JSON (of the sandbox, of
// Node) are passed over.

import type { Program } from '@herald/lab';

export interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

export function logged(program: Program, event?: string): LogLine[] {
  return program.lines.flatMap(parsed).filter((line) => event === undefined || line.event === event);
}

function parsed(line: string): LogLine[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'event' in value ? [value as LogLine] : [];
  } catch {
    return [];
  }
}
