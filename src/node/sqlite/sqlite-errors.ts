import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { constraintViolated, forbiddenReasons, raisedByDatabase, writeForbidden } from '../database/database-errors.ts';

/** A file in WAL mode has memory that it shares with other programs beside it, as a file of 32 KB. */
const fullDisk: ReadonlySet<string> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);

/** The error of a file that cannot be opened as a SQLite database. */
export function openError(path: string, error: unknown): CloudError {
  const code = sqliteCode(error);
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    return cloudError(
      'DATABASE_NOT_A_DATABASE',
      `${path} is not a SQLite database, or it is damaged.`,
      'Correct the path of the connection.',
      { cause: error },
    );
  }
  if (isLocked(code)) return busyError(code, error);
  const isFull = fullDisk.has(code);
  return cloudError(
    'DATABASE_UNREADABLE',
    `The database file ${path} cannot be opened${code ? ` (${code})` : ''}${isFull ? ': its disk is full' : ''}.`,
    isFull ? 'Make room on the disk.' : 'Grant read and write permission on the file and its folder.',
    { cause: error },
  );
}

/** The error of a statement as a `CloudError`. Returns an error that is not SQLite's unchanged. */
export function queryError(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === '') return error;
  const safeDetails = { sqliteCode: code };
  if (code === 'SQLITE_CONSTRAINT_TRIGGER' && error instanceof Error)
    return raisedByDatabase(error.message, safeDetails, error);
  if (code.startsWith('SQLITE_CONSTRAINT')) {
    return constraintViolated({ rule: constraintRules[code], fields: failedColumns(error), safeDetails, cause: error });
  }
  if (isLocked(code)) return busyError(code, error);
  if (code.startsWith('SQLITE_READONLY')) return writeForbidden(forbiddenReasons.server, safeDetails, error);
  return cloudError(
    'DATABASE_QUERY_FAILED',
    `The database could not carry out a query (${code}).`,
    'Look at the log of the agent for the cause.',
    { safeDetails, cause: error },
  );
}

function isLocked(code: string): boolean {
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED');
}

function busyError(code: string, error: unknown): CloudError {
  return cloudError(
    'DATABASE_BUSY',
    'The database is busy: another connection holds its lock.',
    'Try again when the other connection is done.',
    { safeDetails: { sqliteCode: code }, cause: error },
  );
}

const constraintRules: Readonly<Record<string, string>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'a unique rule: another record has it already',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'the primary key: another record has it already',
  SQLITE_CONSTRAINT_ROWID: 'the primary key: another record has it already',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'a foreign key: the record it refers to does not exist, or others refer to this one',
  SQLITE_CONSTRAINT_NOTNULL: 'a not-null rule: it must have a value',
  SQLITE_CONSTRAINT_CHECK: 'a check rule of the table',
  SQLITE_CONSTRAINT_DATATYPE: 'the data type of its column',
};

/** SQLite names columns only in the text of unique and not-null violations: `… failed: orders.ref, orders.year`. */
function failedColumns(error: unknown): string[] {
  const text = error instanceof Error ? error.message : '';
  const list = /^(?:UNIQUE|NOT NULL) constraint failed: (.+)$/.exec(text)?.[1];
  if (list === undefined || list.startsWith('index ')) return [];
  return list.split(', ').map((qualified) => qualified.slice(qualified.indexOf('.') + 1));
}

function sqliteCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_')
    ? error.code
    : '';
}
