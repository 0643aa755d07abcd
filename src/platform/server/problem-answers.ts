import type { FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type CatalogueEntry, catalogue, type ErrorCode } from '#kernel/errors/catalogue';
import type { CloudError } from '#kernel/errors/cloud-error';
import { STATUS_CODES } from '#node/http/node-http';

/** Codes of the public API that do not follow from those of the catalogue. */
const publicCodes: Partial<Record<ErrorCode, string>> = {
  API_TOKEN_ADDRESS_REFUSED: 'address_not_allowed',
  API_TOKEN_EXPIRED: 'token_expired',
  API_TOKEN_INVALID: 'invalid_token',
  API_TOKEN_SCOPE_MISSING: 'insufficient_scope',
  REQUEST_INVALID: 'invalid_parameter',
};

/** Seconds after which a caller may ask again when the store is away. */
export const unavailableSeconds = 5;

/**
 * An error in the form of the public API: `error` and `message` as its pages show them, `code` as its OpenAPI document does, and the
 * members of RFC 9457. A fault of the platform says nothing of what happened inside.
 */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Whether the address of a request is one of the public API, whose errors have a form of their own. */
export function isOfPublicApi({ url }: Pick<FastifyRequest, 'url'>): boolean {
  return /^\/v1(?:[/?]|$)/.test(url);
}

/** @param requestId what the log calls the request. */
export function problemOf(error: CloudError, requestId: string): Problem {
  const { status }: CatalogueEntry = catalogue[error.code];
  const title = STATUS_CODES[status] ?? 'Error';
  const isOurs = error.kind === 'bug' || status >= 500;
  const code = isOurs ? (status === 503 ? 'unavailable' : 'internal_error') : publicCodeOf(error.code);
  return {
    status,
    headers: headersOf(error, status),
    body: {
      type: `urn:vendor-cloud:problem:${code.replaceAll('_', '-')}`,
      title,
      status,
      detail: isOurs ? 'Unexpected error.' : [error.message, ...error.nextSteps].join(' '),
      instance: `req_${requestId}`,
      code,
      message: isOurs ? 'Unexpected error' : messageOf(error, status),
      error: title,
      ...(isOurs ? {} : extensionsOf(error)),
    },
  };
}

/** Send it, as a problem document to who takes one. */
export function sendProblem(request: FastifyRequest, reply: FastifyReply, error: CloudError): FastifyReply {
  const { status, headers, body } = problemOf(error, request.id);
  const takesProblems = /\bapplication\/problem\+json\b/.test(request.headers.accept ?? '');
  return reply
    .code(status)
    .headers(headers)
    .type(takesProblems ? 'application/problem+json' : 'application/json; charset=utf-8')
    .send(JSON.stringify(body));
}

function publicCodeOf(code: ErrorCode): string {
  return publicCodes[code] ?? code.replace(/^(?:REQUEST|API_TOKEN)_/, '').toLowerCase();
}

/** Some messages are a part of the contract, word for word. */
function messageOf({ code, message }: CloudError, status: number): string {
  if (code === 'API_TOKEN_EXPIRED') return 'API token has expired';
  if (status === 401) return 'Invalid or missing API token';
  if (status === 403) return 'Insufficient permissions for this operation';
  return message;
}

function headersOf({ code, safeDetails }: CloudError, status: number): Record<string, string> {
  if (status === 401)
    return { 'www-authenticate': challenge(safeDetails['isMissing'] ? {} : { error: 'invalid_token' }) };
  if (code === 'API_TOKEN_SCOPE_MISSING') {
    const scope = String(safeDetails['scope']);
    return { 'www-authenticate': challenge({ error: 'insufficient_scope', scope }) };
  }
  if (status === 429) return { 'retry-after': String(safeDetails['retryAfterSeconds']) };
  return status === 503 ? { 'retry-after': String(unavailableSeconds) } : {};
}

function challenge(attributes: Readonly<Record<string, string>>): string {
  const all = Object.entries({ realm: 'service', ...attributes });
  return `Bearer ${all.map(([name, value]) => `${name}="${value}"`).join(', ')}`;
}

function extensionsOf({ code, safeDetails, cause }: CloudError): Record<string, unknown> {
  if (code === 'REQUEST_RATE_LIMITED') {
    return { retry_after: safeDetails['retryAfterSeconds'], 'violated-policies': safeDetails['violatedPolicies'] };
  }
  if (code === 'CURSOR_PRUNED') return { oldestCursor: safeDetails['oldestCursor'] };
  if (!(cause instanceof z.ZodError)) return {};
  return { errors: cause.issues.map(({ path, message }) => ({ parameter: path.join('.'), detail: message })) };
}
