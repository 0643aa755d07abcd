import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';

const absent = new Set(['ENOENT', 'ENOTDIR']);

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission is missing',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
  EMFILE: 'too many files are open',
};

export function isAbsent(error: unknown): boolean {
  return absent.has(errnoOf(error));
}

/** The errno code of a failure of Node's file functions, or an empty text. */
export function errnoOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

export function unreadable(path: string, error: unknown): CloudError {
  return cloudError(
    'MACHINE_FILE_NOT_READABLE',
    `${path} cannot be read: ${reasonOf(error)}.`,
    `Check the permissions: ls -ld "${path}"`,
    { cause: error },
  );
}

export function unwritable(path: string, error: unknown): CloudError {
  return cloudError(
    'MACHINE_FILE_NOT_WRITABLE',
    `${path} cannot be written: ${reasonOf(error)}.`,
    'Make the folder writable, free some space, or work in another folder.',
    { cause: error },
  );
}

/** Whether a file could not be written because the disk, or the quota of the user, has no space left. */
export function isDiskFull(error: unknown): boolean {
  return isCloudError(error) && ['ENOSPC', 'EDQUOT'].includes(errnoOf(error.cause));
}

function reasonOf(error: unknown): string {
  const code = errnoOf(error);
  return reasons[code] ?? (error instanceof Error ? error.message : code);
}
