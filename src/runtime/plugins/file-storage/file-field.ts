import * as z from 'zod';
import { unknownOption } from '#kernel/text/nearest-name';
import type { WriteContext } from '../../customizer/write-definition.ts';
import type { UriFile } from '../../query/file-uri.ts';
import { pluginMisused } from '../../user-code/refused-options.ts';

/** The options of a field, complete. */
export type FileField = FileFieldOptions &
  Required<Pick<FileFieldOptions, 'fieldName' | 'readAs' | 'urlLifetimeSeconds' | 'maxSizeBytes'>>;

const text = z.string().min(1);
const code = z.custom((value) => typeof value === 'function', 'must be a function');
const mediaType = z.string().regex(/^[\w.+-]+\/(?:[\w.+-]+|\*)$/, 'must be a media type such as "image/*"');

const bucketSchema = z.strictObject({
  name: text,
  region: text.optional(),
  endpoint: z.url({ protocol: /^https?$/ }).optional(),
  forcePathStyle: z.boolean().optional(),
  credentials: z
    .union([z.object({ accessKeyId: text, secretAccessKey: text, sessionToken: text.optional() }), code])
    .optional(),
  publicUrl: z.url({ protocol: /^https?$/ }).optional(),
});

const fieldSchema = z.strictObject({
  columnName: text,
  fieldName: text.optional(),
  bucket: bucketSchema,
  storeAt: code.optional(),
  overwrite: z.boolean().optional(),
  readAs: z.enum(['url', 'datauri']).optional(),
  urlLifetimeSeconds: z.int().min(1).max(604_800).optional(),
  deleteFiles: z.boolean().optional(),
  maxSizeBytes: z.int().min(1).optional(),
  allowedTypes: z.array(mediaType).min(1).optional(),
  acl: text.optional(),
  contentType: code.optional(),
  contentDisposition: z.enum(['attachment', 'inline']).optional(),
});

/** The options with their defaults. Throws `CUSTOMIZATION_INVALID`, which names an option and never a value. */
export function fileFieldOf(options: FileFieldOptions | undefined): FileField {
  if (!options) throw pluginMisused('createFileField needs "columnName" and "bucket" in its options.');
  const unknown = unknownOption(options, Object.keys(fieldSchema.shape));
  if (unknown !== undefined) throw pluginMisused(`createFileField has ${unknown}`);
  const problem = fieldSchema.safeParse(options).error?.issues[0];
  if (problem) throw pluginMisused(`The option "${problem.path.join('.')}" of createFileField: ${problem.message}.`);
  return {
    ...options,
    fieldName: options.fieldName ?? options.columnName,
    readAs: options.readAs ?? 'url',
    urlLifetimeSeconds: options.urlLifetimeSeconds ?? 3600,
    maxSizeBytes: options.maxSizeBytes ?? 20_000_000,
  };
}

/** The keys that requests to a bucket are signed with. */
export interface BucketCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A bucket of Amazon S3, or of a server that speaks its protocol. */
export interface FileBucketOptions {
  readonly name: string;
  /** Default: that of the environment; `us-east-1` with an `endpoint`. */
  readonly region?: string;
  /** The address of another server than Amazon's. */
  readonly endpoint?: string;
  /** Put the name of the bucket into the path, where the server has no host name for each bucket. Default `false`. */
  readonly forcePathStyle?: boolean;
  /** Default: what the environment, the profile or the role of the machine says. */
  readonly credentials?: BucketCredentials | (() => BucketCredentials | Promise<BucketCredentials>);
  /** The address that everybody reads the files of the bucket at. Default: signed addresses that expire. */
  readonly publicUrl?: string;
}

/**
 * The key of a new file. `recordId` is the packed id of the record; `undefined` where the database makes it only when the
 * record is created, and for a record that is written through a relation.
 */
export type StoreAt = (
  recordId: string | undefined,
  fileName: string,
  context: WriteContext,
) => string | Promise<string>;

/** How `createFileField` keeps and shows files. */
export interface FileFieldOptions {
  /** The text column that holds the keys of files. */
  readonly columnName: string;
  /** The name of the field. Default: that of the column. */
  readonly fieldName?: string;
  readonly bucket: FileBucketOptions;
  /** Default: the collection, a random part and the name of the file, such as `orders/0b9f…/invoice.pdf`. */
  readonly storeAt?: StoreAt;
  /** Let a file take the place of another one under its key. Default `false`. */
  readonly overwrite?: boolean;
  /** The form that the field is read in. Default `url`. */
  readonly readAs?: 'url' | 'datauri';
  /** How long a signed address works. Default 3600, at most a week. */
  readonly urlLifetimeSeconds?: number;
  /** Delete files that are replaced or whose record is deleted. Default `false`. */
  readonly deleteFiles?: boolean;
  /** Default 20 MB. */
  readonly maxSizeBytes?: number;
  /** Media types such as `application/pdf` or `image/*`. Default: every one. */
  readonly allowedTypes?: readonly string[];
  /** A canned access list of S3, such as `public-read`. Default: that of the bucket. */
  readonly acl?: string;
  /** The media type that a file is kept with. Default: the one that it came with. */
  readonly contentType?: (file: UriFile) => string;
  /** Whether browsers save a file or show it. Default `attachment`. */
  readonly contentDisposition?: 'attachment' | 'inline';
}
