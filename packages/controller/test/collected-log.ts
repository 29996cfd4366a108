// A real logger whose lines are kept as objects.

import { createLogger } from '../src/logger.ts';

export type LogLine = Readonly<Record<string, unknown>>;

export function collectedLog(level = 'debug') {
  const lines: LogLine[] = [];
  const write = (text: string): void => {
    lines.push(JSON.parse(text) as LogLine);
  };
  return { logger: createLogger(level, { write }), lines };
}

/** The lines without their time. */
export function said(lines: readonly LogLine[]): LogLine[] {
  return lines.map(({ time: _time, ...rest }) => rest);
}
