import type { CatalogueEntry } from './catalogue-entry.ts';
import { exitCodes } from './exit-codes.ts';

const tokenError = { kind: 'user', recover: 'login', exitCode: exitCodes.authentication } as const;

/** Errors of the public API `/v1` and of its tokens. */
export const publicApiErrors = {
  API_TOKEN_INVALID: {
    ...tokenError,
    status: 401,
    wireName: 'UnauthorizedError',
    cause: 'A request to the public API carries no token, or one that does not exist or was revoked.',
    fix: 'Send `Authorization: Bearer <API token>`; create a token with `vendor-cloud tokens create`.',
  },
  API_TOKEN_EXPIRED: {
    ...tokenError,
    status: 401,
    wireName: 'UnauthorizedError',
    cause: 'The API token is past its end, or its secret was replaced and the overlap is over.',
    fix: 'Create a new token, or use the newest secret of the token.',
  },
  API_TOKEN_OWNER_NOT_ADMIN: {
    ...tokenError,
    status: 403,
    wireName: 'ForbiddenError',
    cause: 'The person who created the API token is not an active administrator of the project any more.',
    fix: 'Have an administrator of the project create a new token.',
  },
  API_TOKEN_ADDRESS_REFUSED: {
    ...tokenError,
    status: 403,
    wireName: 'ForbiddenError',
    cause: 'The API token may be used from some addresses only, and the request comes from another one.',
    fix: 'Send the request from an allowed address, or create a token for this one.',
  },
  API_TOKEN_SCOPE_MISSING: {
    ...tokenError,
    status: 403,
    wireName: 'ForbiddenError',
    cause: 'The API token does not have the scope that the request needs.',
    fix: 'Create a token with the scope that the answer names.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.conflict,
    status: 422,
    wireName: 'UnprocessableError',
    cause: 'A request carries an `Idempotency-Key` that came with another body before.',
    fix: 'Send the same body again, or choose a new key for a new request.',
  },
  PRECONDITION_MISSING: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.failed,
    status: 428,
    wireName: 'PreconditionRequiredError',
    cause: 'A request that changes something does not say which state of it the caller has seen.',
    fix: 'Read it first, and send its `ETag` in the header `If-Match`.',
  },
  PRECONDITION_FAILED: {
    kind: 'user',
    recover: 'retry',
    exitCode: exitCodes.conflict,
    status: 412,
    wireName: 'PreconditionFailedError',
    cause: 'Somebody changed the thing after the caller had read it.',
    fix: 'Read it again, then send the change with the new `ETag` in `If-Match`.',
  },
  REQUEST_RATE_LIMITED: {
    kind: 'user',
    recover: 'retry',
    exitCode: exitCodes.failed,
    status: 429,
    wireName: 'TooManyRequestsError',
    cause: 'The caller has used up one of its quotas of requests.',
    fix: 'Wait for as many seconds as the header `Retry-After` says, then send the request again.',
  },
} as const satisfies Record<string, CatalogueEntry>;
