import type { CatalogueEntry } from '../catalogue-entry.ts';
import { exitCodes } from '../exit-codes.ts';

/** Errors of the databases behind the agent. */
export const dataErrors = {
  DATABASE_URI_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 500,
    cause: 'A connection URI cannot be read, or its scheme is not supported.',
    fix: 'Use a supported scheme; for SQLite, `sqlite:./file.sqlite`.',
  },
  DATABASE_NOT_FOUND: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.failed,
    status: 503,
    cause: 'The database file does not exist.',
    fix: 'Correct the path in `vendor-cloud.json`, or create the database.',
  },
  DATABASE_UNREADABLE: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 503,
    cause: 'The database file exists but cannot be opened.',
    fix: 'Grant read and write permission on the file and its folder.',
  },
  DATABASE_NOT_A_DATABASE: {
    kind: 'user',
    recover: 'change-env',
    exitCode: exitCodes.failed,
    status: 503,
    cause: 'The file that should be a SQLite database is something else.',
    fix: 'Correct the path in `vendor-cloud.json`.',
  },
  DATABASE_CONSTRAINT_VIOLATED: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.failed,
    status: 400,
    wireName: 'ValidationError',
    cause: 'The database refused a write: a unique, foreign-key, check or not-null rule does not hold.',
    fix: 'Correct the value of the field the message names.',
  },
  DATABASE_QUERY_FAILED: {
    kind: 'environment',
    recover: 'retry',
    exitCode: exitCodes.failed,
    status: 503,
    wireName: 'InternalServerError',
    cause: 'The database could not carry out a query, for instance because it is busy.',
    fix: 'Try again; if it stays, look at the log of the agent.',
  },
} as const satisfies Record<string, CatalogueEntry>;
