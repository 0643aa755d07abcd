import * as z from 'zod';
import { unknownOption } from '#kernel/text/unknown-option';
import { pluginMisused } from '../../user-code/plugin-misused.ts';
import type { FileFieldOptions } from './file-field-options.ts';

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
