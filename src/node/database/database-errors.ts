import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';

/** The errors that every database has, whatever its driver calls them. */

/** The client went away, and the query was cancelled. */
export function interrupted(cause?: unknown): CloudError {
  return cloudError('INTERRUPTED', 'The client went away before the query was done.', 'Send the request again.', {
    cause,
  });
}

/** A query took longer than the statement timeout and was cancelled. */
export function timedOut(timeoutMs: number, cause?: unknown): CloudError {
  return cloudError(
    'DATABASE_TIMEOUT',
    `The query was cancelled, because it took longer than ${timeoutMs} ms.`,
    'Narrow the query, add an index, or raise the statement timeout.',
    { cause },
  );
}

/** The data source of a query has been closed. */
export function closed(): CloudError {
  return cloudError('DATABASE_UNREACHABLE', 'The data source has been closed.', 'Start the agent again.');
}

/** The transaction of a statement has ended. */
export function transactionIsOver(): CloudError {
  return cloudError('INTERNAL_BUG', 'A statement was sent after its transaction had ended.');
}

/** The connection broke during a commit, so nobody knows whether the database kept the change. */
export function lostDuringCommit(cause: unknown): CloudError {
  return cloudError(
    'DATABASE_UNREACHABLE',
    'The connection to the database was lost during the commit; whether the change was saved is not known.',
    'Look whether the change is there before it is made again.',
    { cause },
  );
}

/** A trigger or a function of the database refuses the request, in words of its own that are meant for people. */
export function raisedByDatabase(
  words: string,
  safeDetails: Readonly<Record<string, unknown>>,
  cause: unknown,
): CloudError {
  return cloudError('DATABASE_RULE_REFUSED', words, 'Correct the request as the message says.', { safeDetails, cause });
}

/**
 * A trigger or a rule of the database drops what was to be written, or moves it to where it cannot be found.
 *
 * @param hint a further next step.
 */
export function writeDropped(collection: string, hint?: string): CloudError {
  return cloudError(
    'DATABASE_WRITE_DROPPED',
    `A trigger or a rule of the database kept "${collection}" from taking what was written. Nothing was changed.`,
    ['Look at the triggers and the rules of the table.', ...(hint === undefined ? [] : [hint])],
    { safeDetails: { collection } },
  );
}

/** For a record whose key the database makes, and tells nobody. */
export const sendTheKey = 'Where the database makes the key of a new record, send one yourself.';

/** The database does not let its user write. @param reason the sentence that says what stands in the way. */
export function writeForbidden(
  reason: string,
  safeDetails: Readonly<Record<string, unknown>>,
  cause: unknown,
): CloudError {
  return cloudError(
    'DATABASE_WRITE_FORBIDDEN',
    `${reason} Nothing was changed.`,
    'Write what the database allows, or ask whoever runs it for the right.',
    { safeDetails, cause },
  );
}

export const forbiddenReasons = {
  user: 'The user of the database may not write to this table or column.',
  server: 'The database may only be read at the moment: its server, or the session of its user, takes no writes.',
  policy: 'A row-level policy of the database does not let its user write this record.',
  rule: 'A rule of the database replaces the write, and does not say what was written.',
} as const;

/** @param limit in characters, where it is known. */
export function tooLongProblem(limit?: number): string {
  return `is too long for its column${limit === undefined ? '' : `, which takes ${limit} characters at most`}`;
}

export interface RefusedWrite {
  readonly code: 'DATABASE_CONSTRAINT_VIOLATED' | 'DATABASE_VALUE_REFUSED';
  /** The end of a sentence about a value, such as "breaks a check rule of the table" and "is too long for its column". */
  readonly problem: string;
  /** The columns that it is about; empty when they are not known. */
  readonly fields: readonly string[];
  /** What the database says of it. */
  readonly safeDetails?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The database refuses what was to be written. The message names the columns that the user gave values for. */
export function writeRefused({ code, problem, fields, safeDetails = {}, cause }: RefusedWrite): CloudError {
  const names = fields.map((field) => `"${field}"`).join(', ');
  const subject = code === 'DATABASE_VALUE_REFUSED' ? 'A value' : 'The record';
  return cloudError(
    code,
    names ? `The value of ${names} ${problem}.` : `${subject} ${problem}.`,
    names ? `Correct the value of ${names}.` : 'Correct the values of the record.',
    {
      details: fields[0] === undefined ? {} : { field: fields[0], fields },
      safeDetails: { ...safeDetails, problem },
      cause,
    },
  );
}

/** What an error of `writeRefused` was made of, to make another one; `undefined` for any other error. */
export function refusedWriteOf(error: unknown): RefusedWrite | undefined {
  if (!isCloudError(error)) return undefined;
  const { code, details, safeDetails, cause } = error;
  const { problem } = safeDetails;
  const { fields } = details;
  if (code !== 'DATABASE_CONSTRAINT_VIOLATED' && code !== 'DATABASE_VALUE_REFUSED') return undefined;
  if (typeof problem !== 'string') return undefined;
  return { code, problem, fields: Array.isArray(fields) ? fields : [], safeDetails, cause };
}

export interface Violation extends Pick<RefusedWrite, 'fields' | 'safeDetails' | 'cause'> {
  /**
   * The end of the sentence "The record breaks …", such as "a check rule of the table". `undefined` for a rule we do
   * not know.
   */
  readonly rule: string | undefined;
}

/** A write breaks a rule of the database. */
export function constraintViolated({ rule = 'a rule of the database', ...violation }: Violation): CloudError {
  return writeRefused({ code: 'DATABASE_CONSTRAINT_VIOLATED', problem: `breaks ${rule}`, ...violation });
}
