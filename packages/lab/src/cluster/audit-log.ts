/**
 * Reads the API server's audit log: who asked for what.
 *
 * In: the log's path, a user or the beginning of a user agent, a time. Out: requests in the order of their answers. A
 * watch appears when it is opened and again, with `stage` ResponseComplete, when it ends.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export interface AuditedRequest {
  readonly timeMs: number;
  readonly stage: string;
  readonly verb: string;
  readonly user: string;
  /** That the token of the user was made for; empty: for none. */
  readonly pod: string;
  readonly userAgent: string;
  readonly uri: string;
  readonly status: number | undefined;
}

interface AuditEvent {
  readonly requestReceivedTimestamp: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: {
    readonly username?: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly responseStatus?: { readonly code?: number };
}

const POD = 'authentication.kubernetes.io/pod-name';

/** An unfinished last line is passed over. */
export function parseAuditLine(line: string): AuditedRequest | undefined {
  if (!line.startsWith('{') || !line.endsWith('}')) return undefined;
  const event = JSON.parse(line) as AuditEvent;
  return {
    timeMs: Date.parse(event.requestReceivedTimestamp),
    stage: event.stage,
    verb: event.verb,
    user: event.user.username ?? '',
    pod: event.user.extra?.[POD]?.[0] ?? '',
    userAgent: event.userAgent ?? '',
    uri: event.requestURI,
    status: event.responseStatus?.code,
  };
}

/** `who` is a user's whole name or the beginning of a user agent. `sinceMs` is when the request was received. */
export async function requestsOf(auditLog: string, who: string, sinceMs: number): Promise<AuditedRequest[]> {
  const found: AuditedRequest[] = [];
  const lines = createInterface({ input: createReadStream(auditLog), crlfDelay: Infinity });
  for await (const line of lines) {
    // Most lines are somebody else's: not worth parsing.
    if (!line.includes(who)) continue;
    const request = parseAuditLine(line);
    if (request === undefined || request.timeMs < sinceMs) continue;
    if (request.user === who || request.userAgent.startsWith(who)) found.push(request);
  }
  return found;
}
