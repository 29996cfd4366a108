// The process log: one JSON object a line on standard output, by pino. `event` is a stable word for
// machines, `msg` a sentence for people. Objects that can hold a secret are never logged whole; as a last
// line of defence the usual names are redacted.

import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type { Logger } from 'pino';

const SECRET_FIELDS = ['password', '*.password', 'data', '*.data'];

export function createLogger(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS, censor: '[hidden]' },
  };
  return pino(options, destination);
}
