import path from 'node:path';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';

export function storeUnavailable(message: string, nextStep: string, cause?: unknown): CloudError {
  return cloudError('PLATFORM_STORE_UNAVAILABLE', message, nextStep, { cause });
}

/** The same where there is no space left: callers of the platform may know that. */
function storeFull(message: string, nextStep: string, cause: unknown): CloudError {
  return cloudError('PLATFORM_STORE_UNAVAILABLE', message, nextStep, { safeDetails: { isFull: true }, cause });
}

export function storeInUse(file: string, cause: unknown): CloudError {
  return cloudError(
    'PLATFORM_STORE_IN_USE',
    `Another platform server uses the store ${file}.`,
    'Stop the other server, then try again. A second server needs a store of its own, or one on PostgreSQL, which several share.',
    { cause },
  );
}

/** The address is of a database that cannot hold a store. */
export function engineUnsupported(): CloudError {
  return storeUnavailable(
    'The platform keeps its store on SQLite or on PostgreSQL.',
    'Give an address that begins with "sqlite:" or "postgres:".',
  );
}

/** A newer version wrote the store at `place`. */
export function storeIsNewer(place: string): CloudError {
  return storeUnavailable(
    `The store of the platform at ${place} was made by a newer version of vendor-cloud.`,
    'Install the newest version of vendor-cloud, or restore a backup that is older than the update.',
  );
}

/** The file cannot be opened, or nobody may write beside it. */
export function fileUnreachable(file: string, cause: unknown): CloudError {
  const reason = isCloudError(cause) ? cause.message : `The file ${file} cannot be created or kept private.`;
  return storeUnavailable(
    `The store of the platform cannot be opened. ${reason}`,
    `Check that this user may write to ${path.dirname(file)}, or give the platform another place for its store.`,
    cause,
  );
}

export function fileIsForeign(file: string, cause?: unknown): CloudError {
  return storeUnavailable(
    `${file} is a database of something else, not a store of the platform.`,
    'Give the platform another place for its store, or move that file away.',
    cause,
  );
}

export function schemaIsForeign(schema: string, place: string): CloudError {
  return storeUnavailable(
    `The schema "${schema}" of the database ${place} belongs to something else, not to a store of the platform.`,
    'Name another schema in the address of the store: "?schema=vendor_cloud_platform".',
  );
}

export function fileIsDamaged(file: string, cause: unknown): CloudError {
  return storeUnavailable(
    `The store of the platform at ${file} is damaged, or it is not a store of the platform.`,
    `Restore ${path.basename(file)} from a backup, or move it away to begin with an empty store.`,
    cause,
  );
}

/**
 * The error of a statement, in words about the store where the disk or the file is the reason. Any other error stays as it
 * is.
 */
export function sqliteStoreError(error: unknown, file: string): unknown {
  const code = sqliteCodeOf(error);
  if (code === 'SQLITE_FULL') {
    return storeFull(
      `The disk of ${file} is full: the platform stores nothing new.`,
      'Free some space. The platform goes on by itself; nothing that it acknowledged is lost.',
      error,
    );
  }
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) return fileIsDamaged(file, error);
  if (/^SQLITE_(?:IOERR|READONLY|CANTOPEN)/.test(code)) {
    return storeUnavailable(
      `The platform cannot read or write its store at ${file} (${code}).`,
      `Check the disk, its quota and the permissions of ${path.dirname(file)}.`,
      error,
    );
  }
  return error;
}

const unreachableCodes = new Set<string>([
  'DATABASE_UNREACHABLE',
  'DATABASE_AUTHENTICATION_FAILED',
  'DATABASE_NOT_FOUND',
  'DATABASE_TLS_FAILED',
  'DATABASE_PERMISSION_DENIED',
  'DATABASE_BUSY',
  'DATABASE_TIMEOUT',
]);

/**
 * The same for PostgreSQL, where the server or its machine is the reason.
 *
 * @param place the database, as messages name it.
 */
export function postgresStoreError(error: unknown, place: string): unknown {
  if (!isCloudError(error)) return error;
  if (unreachableCodes.has(error.code)) {
    return storeUnavailable(
      `The store of the platform in the database ${place} cannot be used now. ${error.message}`,
      `${error.nextSteps[0] ?? 'Check the database server.'} The platform goes on by itself.`,
      error,
    );
  }
  const state = String(error.safeDetails['sqlState'] ?? '');
  // No disk, memory or connections; failures of the system; damage; a server that is a copy.
  if (!/^(?:53|58|XX|25006)/.test(state)) return error;
  const unstored = state === '53100' ? storeFull : storeUnavailable;
  return unstored(
    `The database ${place} cannot store what the platform sends (SQLSTATE ${state}).`,
    'Check the disk and the log of the database server, and that it is not a read-only copy. The platform goes on by itself.',
    error,
  );
}

/** SQLite's name of what happened; empty for an error that is not SQLite's. */
function sqliteCodeOf(error: unknown): string {
  return isCloudError(error) ? String(error.safeDetails['sqliteCode'] ?? '') : '';
}
