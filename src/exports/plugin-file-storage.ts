export { createFileField } from '#runtime/plugins/file-storage/create-file-field';
export type {
  BucketCredentials,
  FileBucketOptions,
  FileFieldOptions,
  StoreAt,
} from '#runtime/plugins/file-storage/file-field-options';
export type { UriFile } from '#runtime/query/uri-file';
