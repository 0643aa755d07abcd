import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { closed, constraintViolated, interrupted, timedOut, writeRefused } from '../database/database-errors.ts';

/** Numbers of errors as the server documents them. */
const codes = {
  unauthorized: 13,
  authenticationFailed: 18,
  pathNotViable: 28,
  namespaceNotFound: 26,
  maxTimeExpired: 50,
  immutableField: 66,
  writeConflict: 112,
  validationFailure: 121,
  tooLarge: 10334,
  tooLargeToInsert: 17280,
  duplicateKey: 11000,
} as const;

/** Another transaction was in the way, and the same work may succeed now. */
export function isWorthRepeating(error: unknown): boolean {
  const cause = isCloudError(error) ? error.cause : error;
  return cause instanceof MongoError && cause.hasErrorLabel('TransientTransactionError');
}

/** Whether nobody knows what became of a commit: the connection was lost, and no other one could be had to ask. */
export function isUnknownCommit(error: unknown): boolean {
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  return error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
}

/**
 * An error of the driver as a `CloudError`; any other unchanged. Messages repeat nothing of the driver's: those may hold a URI, and values.
 *
 * @param limitMs the time a statement may take.
 */
export function mongoError(error: unknown, limitMs: number, signal?: AbortSignal): unknown {
  if (isCloudError(error)) return error;
  if (signal?.aborted) return interrupted(error);
  if (isFailedLookup(error)) return unreachable(error, `cannot be found (${error.code})`);
  if (!(error instanceof MongoError)) return error;
  // Of a failure on the way to the server the driver makes a refused write of many.
  if (error instanceof MongoBulkWriteError && error.errorResponse instanceof MongoError) {
    return mongoError(error.errorResponse, limitMs, signal);
  }
  if (error.name === 'MongoWaitQueueTimeoutError') return noConnection(error);
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return connectionError(error);
  if (error.name === 'MongoNotConnectedError' || error.name === 'MongoClientClosedError') return closed();
  if (error.name === 'MongoOperationTimeoutError' || error.code === codes.maxTimeExpired)
    return timedOut(limitMs, error);
  return serverError(error);
}

function serverError(error: MongoError): CloudError {
  switch (error.code) {
    case codes.duplicateKey:
      return constraintViolated({ ...duplicateKey(error), cause: error });
    case codes.validationFailure:
      return constraintViolated({ rule: 'the schema of the collection', fields: refusedFields(error), cause: error });
    case codes.immutableField:
      return writeRefused({
        code: 'DATABASE_VALUE_REFUSED',
        problem: 'is a key, which stays as it is',
        fields: ['_id'],
        cause: error,
      });
    case codes.pathNotViable:
    case codes.tooLarge:
    case codes.tooLargeToInsert:
      return writeRefused({
        code: 'DATABASE_VALUE_REFUSED',
        problem: 'does not fit into the document',
        fields: [],
        cause: error,
      });
    case codes.writeConflict:
      return failure(
        error,
        'DATABASE_BUSY',
        'Other transactions are in the way of this one.',
        'Try again when they are done.',
      );
    case codes.authenticationFailed:
      return refusedUser(error);
    case codes.unauthorized:
      return failure(
        error,
        'DATABASE_PERMISSION_DENIED',
        'The database user may not do what was asked.',
        'Grant the database user the role "readWrite" on the database, or "read" if nothing is written.',
      );
    default:
      return failure(
        error,
        'DATABASE_QUERY_FAILED',
        `The database could not carry out a query (MongoDB error ${error.code ?? error.name}).`,
        'Look at the log of the database for the cause.',
      );
  }
}

function connectionError(error: MongoError): CloudError {
  const cause = rootCause(error);
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  if (/^ERR_(?:TLS|SSL)|CERT|^UNABLE_TO_/.test(code)) {
    return failure(
      error,
      'DATABASE_TLS_FAILED',
      `The connection to the MongoDB server cannot be encrypted as asked (${code}).`,
      'Correct the "tls" parameters of the connection URI, or give the certificate authority to trust.',
    );
  }
  if (cause instanceof MongoServerError && cause.code === codes.authenticationFailed) return refusedUser(error);
  const why = code === '' ? 'does not answer' : `cannot be reached (${code})`;
  return unreachable(error, why);
}

/** The driver asks the DNS itself for the hosts of `mongodb+srv:`, and passes its errors on. */
function isFailedLookup(error: unknown): error is Error & { readonly code: string } {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return false;
  return /^query/.test(String(error.syscall)) && typeof error.code === 'string';
}

function unreachable(error: Error, why: string): CloudError {
  return failure(
    error,
    'DATABASE_UNREACHABLE',
    `The MongoDB server ${why}.`,
    'Start the database, or correct the host and the port of the connection.',
  );
}

function noConnection(error: MongoError): CloudError {
  return failure(
    error,
    'DATABASE_BUSY',
    'No connection to the MongoDB server came free in time.',
    'Raise the pool size, or look for slow queries.',
  );
}

function refusedUser(error: MongoError): CloudError {
  return failure(
    error,
    'DATABASE_AUTHENTICATION_FAILED',
    'The MongoDB server refuses the user or the password.',
    'Correct the user, the password and the "authSource" of the connection.',
  );
}

type Code =
  | 'DATABASE_AUTHENTICATION_FAILED'
  | 'DATABASE_BUSY'
  | 'DATABASE_PERMISSION_DENIED'
  | 'DATABASE_QUERY_FAILED'
  | 'DATABASE_TLS_FAILED'
  | 'DATABASE_UNREACHABLE';

function failure(cause: Error, code: Code, message: string, nextStep: string): CloudError {
  const mongoCode = cause instanceof MongoError ? cause.code : undefined;
  const safeDetails = mongoCode === undefined ? {} : { mongoCode };
  return cloudError(code, message, nextStep, { cause, safeDetails });
}

/** A lost server is reported by what was known of it last. */
function rootCause(error: unknown): unknown {
  if (error instanceof MongoServerSelectionError) {
    const reasons = [...(error.reason?.servers.values() ?? [])].flatMap(({ error: reason }) => reason ?? []);
    return reasons[0] ? rootCause(reasons[0]) : error;
  }
  return error instanceof MongoError && error.cause instanceof Error ? rootCause(error.cause) : error;
}

function duplicateKey(error: MongoError) {
  const refused = refusalOf(error);
  const fields = isDocument(refused.keyPattern) ? Object.keys(refused.keyPattern) : keysInMessage(error.message);
  const rule = fields[0] === '_id' ? 'the primary key' : 'a unique rule';
  return { rule: `${rule}: another record has it already`, fields };
}

/** If several documents are refused, the driver keeps only the message of the first one: `… dup key: { email: "…", city: "…" }`. */
function keysInMessage(message: string): readonly string[] {
  const index = /index: (\S+) dup key/.exec(message)?.[1] ?? '';
  if (index === '_id_') return ['_id'];
  // The name that the server gives an index by default: each path with its direction.
  return [...index.matchAll(/(.+?)_(?:-?1|text|hashed|2dsphere)(?:_|$)/g)].map(([, path = '']) => path);
}

/** The fields that the schema refuses, as far as the server says. */
function refusedFields(error: MongoError): readonly string[] {
  const found = new Set<string>();
  collectFields(refusalOf(error).errInfo, found);
  return [...found];
}

/** What the server says of the refused document: in the error itself, or in that of the first of several documents. */
function refusalOf(error: MongoError): { readonly keyPattern?: unknown; readonly errInfo?: unknown } {
  if (!(error instanceof MongoBulkWriteError)) return { ...error } as { keyPattern?: unknown; errInfo?: unknown };
  const [first] = [error.writeErrors].flat();
  return first?.err ?? {};
}

function isDocument(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function collectFields(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectFields(item, found);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'propertyName' && typeof inner === 'string') found.add(inner);
      else if (name === 'missingProperties' && Array.isArray(inner))
        for (const field of inner) found.add(String(field));
      else collectFields(inner, found);
    }
  }
}
