import type { CatalogueEntry } from './catalogue-entry.ts';
import { exitCodes } from './exit-codes.ts';

const storeError = { kind: 'environment', exitCode: exitCodes.machine } as const;

/** Errors of files that an agent keeps in a bucket. */
export const fileErrors = {
  FILE_KEY_TAKEN: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 409,
    cause: '`storeAt` of `createFileField` gives a new file the key of another one.',
    fix: 'Let `storeAt` give a key that no other file has, or set `overwrite`.',
  },
  FILE_STORE_REFUSED: {
    ...storeError,
    recover: 'change-env',
    status: 502,
    cause: 'The store of files refuses the agent: its credentials, its rights, or the bucket.',
    fix: 'Check the name, the region and the endpoint of the bucket, and the rights of the credentials.',
  },
  FILE_STORE_UNAVAILABLE: {
    ...storeError,
    recover: 'retry',
    status: 503,
    cause: 'The store of files cannot be reached, is busy, or failed.',
    fix: 'Try again in a moment.',
  },
  FILE_STORE_PACKAGE_MISSING: {
    ...storeError,
    recover: 'change-env',
    status: 500,
    cause: 'The client of the store of files is not installed.',
    fix: 'Install it beside the agent: `npm install @aws-sdk/client-s3 @aws-sdk/s3-request-presigner`.',
  },
  FILE_NOT_REMOVED: {
    ...storeError,
    recover: 'none',
    status: 500,
    cause:
      'Files that no record refers to any more could not be removed from their bucket. The write itself is done. This is only logged.',
    fix: 'Remove the files that the message names from the bucket.',
  },
} as const satisfies Record<string, CatalogueEntry>;
