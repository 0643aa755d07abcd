import { CloudError, type CloudErrorInput, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import {
  forbiddenReasons,
  raisedByDatabase,
  tooLongProblem,
  writeForbidden,
  writeRefused,
} from '../database/database-errors.ts';
import { constraintError } from './postgres-constraint-errors.ts';

/** The parts of a PostgreSQL error that do not depend on the language of the server. */
export interface PostgresFailure {
  readonly code: string;
  readonly message: string;
  readonly routine?: string | undefined;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly constraint?: string | undefined;
  /** The domain that a value breaks a rule of. */
  readonly dataType?: string | undefined;
}

/** The failure that PostgreSQL reported, or `undefined` for any other error. */
export function postgresFailure(error: unknown): PostgresFailure | undefined {
  const isFailure = error instanceof Error && 'severity' in error && 'code' in error && typeof error.code === 'string';
  return isFailure ? (error as Error & PostgresFailure) : undefined;
}

/**
 * The error of a statement as a `CloudError`. Returns an error that comes neither from the database nor from its
 * connection unchanged.
 *
 * @param isLost the connection is lost, which explains every error that the database did not send.
 * @param sql the statement, where there is one.
 */
export function queryError(error: unknown, isLost: boolean, sql = ''): unknown {
  if (isCloudError(error)) return error;
  const failure = postgresFailure(error);
  if (!failure) return isLost ? unreachable('The connection to the database was lost.', error) : error;
  if (isRaised(failure)) return raisedByDatabase(failure.message, { sqlState: failure.code }, error);
  if (failure.code === '22001') {
    const problem = tooLongProblem();
    return writeRefused({
      code: 'DATABASE_VALUE_REFUSED',
      problem,
      fields: [],
      safeDetails: { sqlState: '22001' },
      cause: error,
    });
  }
  if (failure.code === '22P05' || failure.code === '22021') return encodingError(failure, error);
  if (failure.code.startsWith('23') || failure.code === '44000') return constraintError(failure, sql, error);
  const forbidden = forbiddenWrite(failure, sql, error);
  if (forbidden) return forbidden;
  if (failure.code === '55000' && failure.routine === openingRoutine) return notPopulated(failure.message, error);
  const isDivisionInRead = failure.code === '22012' && /^\s*select\b/i.test(sql);
  return new CloudError({
    ...(isDivisionInRead ? dividedByZero : byState(failure.code)),
    safeDetails: { sqlState: failure.code },
    cause: error,
  });
}

/** A statement that writes, or that locks rows to write them. */
const write = /^\s*(?:insert|update|delete|merge|with)\b|\bfor update\s*$/i;

/** What the rights of the user, a policy, a rule or the state of the server keep from being written. */
function forbiddenWrite({ code, routine }: PostgresFailure, sql: string, cause: unknown): CloudError | undefined {
  if (!write.test(sql)) return undefined;
  const forbidden = (reason: string) => writeForbidden(reason, { sqlState: code }, cause);
  if (code === '42501') return forbidden(forbiddenReasons[routine === 'ExecWithCheckOptions' ? 'policy' : 'user']);
  if (code === '25006') return forbidden(forbiddenReasons.server);
  return code === '0A000' && routine === 'RewriteQuery' ? forbidden(forbiddenReasons.rule) : undefined;
}

const encodings = /\b(?:EUC_[A-Z0-9_]+|ISO_8859_\d+|KOI8[A-Z]*|LATIN\d+|WIN\d+|MULE_INTERNAL|SQL_ASCII|UTF8)\b/g;

/** A character that the encoding of the database lacks, or bytes of the database that are not text of its encoding. */
function encodingError({ code, message }: PostgresFailure, cause: unknown): CloudError {
  const safeDetails = { sqlState: code };
  const named = message.match(encodings) ?? [];
  const own = named.find((name) => name !== 'UTF8');
  const refused = (problem: string) =>
    writeRefused({ code: 'DATABASE_VALUE_REFUSED', problem, fields: [], safeDetails, cause });
  if (code === '22021' && message.includes('0x00')) return refused('has a NUL, which no text of PostgreSQL can hold');
  // Texts are asked for in UTF-8: when the server makes none of its own, UTF8 is named last.
  if (code === '22P05' && named.at(-1) !== 'UTF8') {
    return refused(`has a character that the encoding of the database${own ? `, ${own},` : ''} does not have`);
  }
  const why = own ?? 'SQL_ASCII, which checks no text';
  return cloudError(
    'DATABASE_TEXT_UNREADABLE',
    `A stored text cannot be read: its bytes are not text in UTF-8. The encoding of the database is ${why}.`,
    'Correct the text in a client of the database, or move the data to a database of the encoding UTF8.',
    { safeDetails, cause },
  );
}

/** What a trigger does that the database lets none do, as to change the row of its own statement. */
const ofTriggers: ReadonlySet<string> = new Set(['09000', '27000']);

/** A function of the database raised the error, with words of whoever wrote it, and no state that says what to do. */
function isRaised({ code, routine }: PostgresFailure): boolean {
  return code === 'P0001' || ofTriggers.has(code) || (routine === 'exec_stmt_raise' && states[code] === undefined);
}

type Input = Pick<CloudErrorInput, 'message'> & { code: Code; nextSteps: readonly [string, ...string[]] };
type Code =
  | 'DATABASE_AUTHENTICATION_FAILED'
  | 'DATABASE_BUSY'
  | 'DATABASE_NOT_FOUND'
  | 'DATABASE_PERMISSION_DENIED'
  | 'DATABASE_QUERY_FAILED'
  | 'DATABASE_TIMEOUT'
  | 'DATABASE_UNREACHABLE'
  | 'DATABASE_VALUE_REFUSED';

function input(code: Code, message: string, nextStep: string): Input {
  return { code, message, nextSteps: [nextStep] };
}

const unauthenticated = input(
  'DATABASE_AUTHENTICATION_FAILED',
  'The database server refuses the user or the password.',
  'Correct the user and the password of the connection.',
);
const shutDown = input(
  'DATABASE_UNREACHABLE',
  'The database server is shutting down or starting up.',
  'Try again when the server is up.',
);
const outdated = input(
  'DATABASE_QUERY_FAILED',
  'The database no longer has a table or a column that the query needs.',
  'Restart the agent, so that it reads the structure of the database again.',
);
const unsupported = input(
  'DATABASE_QUERY_FAILED',
  'The database does not support the statement on this table, such as "returning" on a table with rules.',
  'Look at the log of the agent for the table and the cause.',
);
const notReadable = input(
  'DATABASE_QUERY_FAILED',
  'The table or view cannot be read now.',
  'Look at the log of the agent for the cause.',
);
/** No value that a client sends divides: a view does, or a generated column. A write may have brought the zero. */
const dividedByZero = input(
  'DATABASE_QUERY_FAILED',
  'A view or a function that the query reads divides by zero.',
  'Correct the view, for example with nullif(…, 0).',
);
/** The function of the server that opens a table to read it. */
const openingRoutine = 'ExecOpenScanRelation';

/** @param words the sentence of the server, which names the view. */
function notPopulated(words: string, cause: unknown): CloudError {
  return cloudError(
    'DATABASE_VIEW_NOT_POPULATED',
    `A materialised view that the query reads holds no data yet: ${words}.`,
    'Carry out REFRESH MATERIALIZED VIEW for it, then try again.',
    { safeDetails: { sqlState: '55000' }, cause },
  );
}

const conflicting = input(
  'DATABASE_BUSY',
  'Other transactions are in the way of this one.',
  'Try again when they are done.',
);

const states: Readonly<Record<string, Input>> = {
  '0A000': unsupported,
  '55000': notReadable,
  '28000': unauthenticated,
  '28P01': unauthenticated,
  '3D000': input('DATABASE_NOT_FOUND', 'The server has no database of that name.', 'Correct the name of the database.'),
  '40001': conflicting,
  '40P01': conflicting,
  '55P03': conflicting,
  '42501': input(
    'DATABASE_PERMISSION_DENIED',
    'The database user may not do this.',
    'Grant the database user the rights it needs.',
  ),
  '42703': outdated,
  '42P01': outdated,
  '53300': input(
    'DATABASE_BUSY',
    'The database server accepts no more connections.',
    'Try again, lower the size of the connection pools, or raise the limit of the server.',
  ),
  '57014': input(
    'DATABASE_TIMEOUT',
    'The database cancelled the query, because it took too long or an administrator stopped it.',
    'Narrow the query, or raise the statement timeout.',
  ),
  '57P01': shutDown,
  '57P02': shutDown,
  '57P03': shutDown,
  '57P05': shutDown,
};

function byState(code: string): Input {
  const known = states[code];
  if (known) return known;
  if (code.startsWith('08'))
    return input('DATABASE_UNREACHABLE', 'The connection to the database broke.', 'Try again.');
  if (code.startsWith('22')) {
    return input(
      'DATABASE_VALUE_REFUSED',
      'The database refused a value: it does not fit the type, the size or the range of its column.',
      'Correct the value.',
    );
  }
  return input(
    'DATABASE_QUERY_FAILED',
    `The database could not carry out a query (${code}).`,
    'Look at the log of the agent for the cause.',
  );
}

export function unreachable(message: string, cause?: unknown): CloudError {
  return cloudError(
    'DATABASE_UNREACHABLE',
    message,
    'Start the database, or correct the host and the port of the connection.',
    { cause },
  );
}
