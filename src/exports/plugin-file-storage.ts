import { proxiesFrom } from '#kernel/environment/proxies';
import { processEnvironment } from '#node/environment/process-environment';
import { createNodeAgents } from '#node/http/node-agents';
import { fileFieldPlugin } from '#runtime/plugins/file-storage/create-file-field';

/**
 * Show a column of keys as a field of files, which are kept in a bucket of S3. What is uploaded to it is a data URI; it is read
 * as an address, or as a data URI.
 *
 * @example
 * invoices.use(createFileField, {
 *   columnName: 'document_key',
 *   fieldName: 'document',
 *   bucket: { name: 'invoices', region: 'eu-west-3' },
 *   allowedTypes: ['application/pdf'],
 * });
 */
export const createFileField = fileFieldPlugin(() => createNodeAgents(proxiesFrom(processEnvironment.variables)));

export type {
  BucketCredentials,
  FileBucketOptions,
  FileFieldOptions,
  StoreAt,
} from '#runtime/plugins/file-storage/file-field';
export type { UriFile } from '#runtime/query/file-uri';
