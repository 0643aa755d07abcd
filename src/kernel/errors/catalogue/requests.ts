import type { CatalogueEntry } from './catalogue-entry.ts';
import { exitCodes } from './exit-codes.ts';

const requestError = { kind: 'user', recover: 'none', exitCode: exitCodes.failed } as const;

/** Errors of the requests that an agent answers. */
export const requestErrors = {
  ACTION_FAILED: {
    ...requestError,
    status: 400,
    cause: 'The code of an action ended with an error of its own, `resultBuilder.error(…)`.',
    fix: 'Do what the message of the action says.',
  },
  REQUEST_INVALID: {
    ...requestError,
    status: 400,
    wireName: 'ValidationError',
    cause: 'A parameter or the body of a request is malformed.',
    fix: 'Correct the parameter the message names.',
  },
  REQUEST_FIELD_UNKNOWN: {
    ...requestError,
    status: 400,
    wireName: 'MissingFieldError',
    cause: 'A request names a field that the collection does not have.',
    fix: 'Use one of the names the message suggests.',
  },
  REQUEST_UNAUTHENTICATED: {
    ...requestError,
    exitCode: exitCodes.authentication,
    status: 401,
    wireName: 'UnauthorizedError',
    cause: 'The token is missing, expired, or was made for something else.',
    fix: 'Send a valid `Authorization: Bearer` token.',
  },
  REQUEST_FORBIDDEN: {
    ...requestError,
    status: 403,
    wireName: 'ForbiddenError',
    cause: 'The permissions of the caller do not allow the operation, or do not name it.',
    fix: 'Ask an administrator for the right the message names.',
  },
  RECORD_OUT_OF_SCOPE: {
    ...requestError,
    status: 403,
    wireName: 'ForbiddenError',
    cause:
      'A record would have values, after the write, with which the scope of the caller does not show it. Nothing was written.',
    fix: 'Give it values that are within the scope, or ask an administrator for another scope.',
  },
  REQUEST_CROSS_SITE: {
    ...requestError,
    status: 403,
    wireName: 'ForbiddenError',
    cause:
      'A web page of another origin made the browser send a request with a cookie of the agent or of the platform (`Sec-Fetch-Site`).',
    fix: 'Name the origin of the page in `allowedOrigins` of the agent, or open the address in a tab of its own.',
  },
  ACTION_TRIGGER_FORBIDDEN: {
    ...requestError,
    status: 403,
    wireName: 'CustomActionTriggerForbiddenError',
    cause: 'The permissions of the caller do not allow the action to be triggered, or do not name it.',
    fix: 'Ask an administrator for the right the message names.',
  },
  ACTION_APPROVAL_REQUIRED: {
    ...requestError,
    status: 403,
    wireName: 'CustomActionRequiresApprovalError',
    cause: 'The role of the caller may run the action on these records only after somebody has approved it.',
    fix: 'Ask for an approval of somebody whose role `data.roleIdsAllowedToApprove` names: `POST /_internal/approvals`, `vendor-cloud run action … --request`, or the dialog of the action.',
  },
  ACTION_APPROVAL_NOT_ALLOWED: {
    ...requestError,
    status: 403,
    wireName: 'ApprovalNotAllowedError',
    cause: 'The caller approves an action that their role may not approve, or not on these records.',
    fix: 'Have it approved by somebody whose role `data.roleIdsAllowedToApprove` names.',
  },
  ACTION_APPROVAL_EXPIRED: {
    ...requestError,
    status: 422,
    wireName: 'ApprovalRequestExpiredError',
    cause: 'The signed request of an approved action is past its end.',
    fix: 'Ask for a new approval.',
  },
  ACTION_APPROVAL_INVALID: {
    ...requestError,
    status: 422,
    wireName: 'ApprovalRequestInvalidError',
    cause:
      'The signed request of an approved action was not signed for this environment, names another action, was used before, or is malformed.',
    fix: 'Ask for a new approval.',
  },
  ACTION_APPROVAL_OUTDATED: {
    ...requestError,
    status: 409,
    wireName: 'ApprovalOutdatedError',
    cause:
      'A request for an approval cannot be granted: since somebody asked, a record, the action, its form or the rights of that person have changed. Nothing ran.',
    fix: 'Refuse the request, and have the person look at the records and ask again.',
  },
  ACTION_APPROVAL_UNCONFIRMED: {
    kind: 'platform',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 503,
    cause:
      'An action with an approval was not run, because the platform could not be asked whether the approval was used before.',
    fix: 'Send the request again in a moment; see the log of the agent for what keeps it from the platform.',
  },
  ACTION_CONDITION_INVALID: {
    ...requestError,
    status: 422,
    wireName: 'InvalidActionConditionError',
    cause: 'A condition in the permissions of an action cannot be evaluated on the collection.',
    fix: 'Have an administrator of the project correct the condition.',
  },
  NOTE_MENTION_REFUSED: {
    ...requestError,
    status: 422,
    wireName: 'UnprocessableError',
    cause:
      'A note mentions somebody who may not read the record, or who is not a member of the project. Nothing was written.',
    fix: 'Take the mention out, or give the person the right to read the record.',
  },
  REQUEST_NOT_FOUND: {
    ...requestError,
    exitCode: exitCodes.usage,
    status: 404,
    wireName: 'NotFoundError',
    cause: 'The record or the resource does not exist, or the caller may not see it.',
    fix: 'Check the identifier.',
  },
  REQUEST_CONFLICT: {
    ...requestError,
    exitCode: exitCodes.conflict,
    status: 409,
    wireName: 'ConflictError',
    cause:
      'The request contradicts one that was carried out before, for instance the same idempotency key with other content.',
    fix: 'See the message: it says what the request contradicts.',
  },
  RECORD_AMBIGUOUS: {
    ...requestError,
    exitCode: exitCodes.conflict,
    status: 409,
    wireName: 'ConflictError',
    cause:
      'A request names a record by its id, and several rows have that id. The cause is a view or a table without a key, a unique index that is not valid, rows of child tables, or one value in several forms. Nothing was done.',
    fix: 'Give the rows different keys in the database, and make the key of the table unique. Let a view show a column `id` that is different in each row.',
  },
  RECORD_CHANGED: {
    ...requestError,
    exitCode: exitCodes.conflict,
    status: 409,
    wireName: 'ConflictError',
    cause: 'A write says which values its caller has seen, and the record has others by now. Nothing was written.',
    fix: 'Read the record again, decide whether the write is still right, and send it with the values of now.',
  },
  REQUEST_TIMEOUT: {
    ...requestError,
    exitCode: exitCodes.timeout,
    recover: 'retry',
    status: 504,
    wireName: 'RequestTimeoutError',
    cause: 'A request took longer than the agent lets requests take; what it did in the database was cancelled.',
    fix: 'Ask for less at once, or raise `limits.requestTimeoutMs`.',
  },
  REQUEST_INCOMPLETE: {
    ...requestError,
    exitCode: exitCodes.timeout,
    recover: 'retry',
    status: 408,
    wireName: 'RequestTimeoutError',
    cause: 'The body of a request did not arrive in time. Nothing was done.',
    fix: 'Send the request again with its whole body, or raise `limits.requestTimeoutMs` for clients that are slow.',
  },
  AGENT_BUSY: {
    ...requestError,
    exitCode: exitCodes.failed,
    recover: 'retry',
    status: 503,
    wireName: 'TooManyRequestsError',
    cause: 'The agent has as many requests in progress, or waits for as many bodies, as it takes at once.',
    fix: 'Send the request again in a moment, or raise `limits.concurrentRequests`, `limits.unfinishedBodies` or `limits.unfinishedBodiesPerAddress`.',
  },
  REQUEST_TOO_LARGE: {
    ...requestError,
    status: 413,
    wireName: 'PayloadTooLargeError',
    cause: 'The body of a request, or a file in it, is larger than the server accepts.',
    fix: 'Send less at once.',
  },
  REQUEST_TOO_COSTLY: {
    ...requestError,
    status: 422,
    cause:
      'The database cannot carry out a part of the request, and the agent would have to read too many records for it.',
    fix: 'Add a condition that the database knows, or replace the emulated operator or sort by one on columns.',
  },
  REQUEST_UNPROCESSABLE: {
    ...requestError,
    status: 422,
    wireName: 'UnprocessableError',
    cause: 'The request is well-formed, but the collection cannot do what it asks.',
    fix: 'See the message: it says what the collection lacks.',
  },
  EXPORT_TOO_LARGE: {
    ...requestError,
    status: 422,
    wireName: 'UnprocessableError',
    cause:
      'A workbook was asked for, and there are more records than a sheet of it can hold: 1,048,575, or 4 GB before they are compressed. Or a text has more than the 32,767 characters of a cell.',
    fix: 'Filter more, leave the column out, or export CSV.',
  },
  REQUEST_TIME_SPENT: {
    ...requestError,
    recover: 'retry',
    status: 429,
    wireName: 'TooManyRequestsError',
    cause:
      'The slow requests of one person have taken as much time within a minute as the agent allows one person, or too many of them wait.',
    fix: 'Ask again after the seconds of `Retry-After`, and for less at once, or raise `limits.slowSecondsPerMinute` and `limits.slowReadsPerPerson`.',
  },
} as const satisfies Record<string, CatalogueEntry>;
