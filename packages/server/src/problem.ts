// Errors as RFC 9457 problem details (application/problem+json): every refusal names what was wrong with
// the request, and for a query which parameter and which rule. Unexpected errors say nothing of the inside.

import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

export interface ParameterFault {
  readonly parameter: string;
  readonly rule: string;
}

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly statusCode: number;
  readonly faults: readonly ParameterFault[];
  /** Further fields of the answer's head. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: number, detail: string, more: Partial<Pick<Problem, 'faults' | 'headers'>> = {}) {
    super(detail);
    this.statusCode = statusCode;
    this.faults = more.faults ?? [];
    this.headers = more.headers ?? {};
  }
}

export function badParameter(parameter: string, rule: string): Problem {
  return new Problem(400, `Query parameter ${parameter} ${rule}.`, { faults: [{ parameter, rule }] });
}

export function notFound(what: string): Problem {
  return new Problem(404, `${what} does not exist.`);
}

/** For setErrorHandler. */
export async function answerError(
  error: FastifyError | Problem,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const problem = problemOf(error);
  if (problem.statusCode >= 500) {
    request.log.error({ err: error }, 'request failed');
  }
  return answerProblem(problem, request, reply);
}

export async function answerUnknownPath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return answerProblem(new Problem(404, `There is nothing at ${pathOf(request)}.`), request, reply);
}

function answerProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[problem.statusCode] ?? 'Error',
    status: problem.statusCode,
    detail: problem.message,
    instance: pathOf(request),
    ...(problem.faults.length > 0 ? { faults: problem.faults } : {}),
  };
  // Serialized here: a response schema of the route must not get between a problem and its reader.
  return reply
    .code(problem.statusCode)
    .headers(problem.headers)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(body);
}

function problemOf(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) {
    return error;
  }
  if (error.validation !== undefined) {
    return validationProblem(error);
  }
  const status = error.statusCode ?? 500;
  return status >= 400 && status < 500
    ? new Problem(status, error.message)
    : new Problem(500, 'The request could not be answered.');
}

function validationProblem(error: FastifyError): Problem {
  const faults = (error.validation ?? []).map((found) => ({
    parameter: parameterOf(found.instancePath, found.params),
    rule: ruleOf(found.keyword, found.message, found.params),
  }));
  const detail = faults.map((fault) => `Query parameter ${fault.parameter} ${fault.rule}.`).join(' ');
  return new Problem(400, detail, { faults });
}

function parameterOf(instancePath: string, params: Readonly<Record<string, unknown>>): string {
  const unknown = params['additionalProperty'];
  return typeof unknown === 'string' ? unknown : instancePath.slice(1);
}

function ruleOf(
  keyword: string,
  message: string | undefined,
  params: Readonly<Record<string, unknown>>,
): string {
  if (keyword === 'additionalProperties') {
    return 'is not known';
  }
  const allowed = params['allowedValues'];
  return Array.isArray(allowed) ? `must be one of ${allowed.join(', ')}` : (message ?? 'is not valid');
}

/** Without query and fragment, as the router reads it. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split(/[?#]/, 1)[0] ?? '';
}
