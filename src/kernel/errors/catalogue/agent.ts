import type { CatalogueEntry } from '../catalogue-entry.ts';
import { exitCodes } from '../exit-codes.ts';

const requestError = { kind: 'user', recover: 'none', exitCode: exitCodes.failed } as const;

/** Errors of the agent: the customization code it runs and the requests it answers. */
export const agentErrors = {
  CUSTOMIZATION_NOT_A_FUNCTION: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'The customization entry does not export a function.',
    fix: 'Export it as default: `export default function customize(agent: Agent) { … }`.',
  },
  CUSTOMIZATION_FAILED: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'The customization code threw, or the promise it returned was rejected.',
    fix: 'Correct the place in the code frame.',
  },
  CUSTOMIZATION_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'A declaration does not fit the model: an unknown collection or field, a name taken twice, a cycle.',
    fix: 'Correct the declarations the message lists.',
  },
  CUSTOMIZATION_UNRESPONSIVE: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.timeout,
    status: 503,
    cause: 'The customization code kept its worker busy for too long, for instance with an endless loop.',
    fix: 'Remove the loop or the long synchronous work, then save.',
  },
  CUSTOMIZATION_EXITED: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 503,
    cause: 'The customization code ended its worker, for instance with `process.exit()` or by running out of memory.',
    fix: 'Throw an error instead of ending the process.',
  },
  AGENT_OPTION_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'An option given to `createAgent` is missing or malformed.',
    fix: 'Correct the option the message names.',
  },
  AGENT_SCHEMA_MISSING: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause:
      'In production the agent sends the schema file that was made in development, and there is none, or it is not one.',
    fix: 'Run the agent once in development, or call `generateSchemaOnly`, and ship the file with the code.',
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
    cause: 'The role of the caller may trigger the action only with an approval, or only on certain records.',
    fix: 'Have it triggered by somebody whose role needs no approval.',
  },
  REQUEST_NOT_FOUND: {
    ...requestError,
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
  REQUEST_TOO_LARGE: {
    ...requestError,
    status: 413,
    wireName: 'PayloadTooLargeError',
    cause: 'The body of a request is larger than the server accepts.',
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
} as const satisfies Record<string, CatalogueEntry>;
