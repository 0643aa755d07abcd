import * as z from 'zod';

/*
 * A backup of the platform is text compressed by gzip: lines of JSON, each ended by "\n".
 *
 * | line | what |
 * |---|---|
 * | first | `backupHeaderSchema` |
 * | before the rows of a table | `tableStartSchema` |
 * | a row | an array with a value for each column, in that order |
 * | after the rows of a table | `tableEndSchema` |
 * | last | `backupEndSchema` |
 *
 * Tables come after those they refer to, rows by their primary key. A value is a number, a text, `null` or, for bytes,
 * `{"base64": "…"}`. The digests find damage; they do not prove who wrote the file.
 */

export const backupFormat = 'vendor-cloud-backup';

export const backupHeaderSchema = z.object({
  format: z.literal(backupFormat),
  formatVersion: z.literal(1),
  /** How many migrations the store had taken. */
  storeVersion: z.number().int().positive(),
  engine: z.enum(['sqlite', 'postgres']),
  /** ISO 8601. */
  madeAt: z.string(),
  /** Version of vendor-cloud. */
  madeBy: z.string(),
});

const name = z.string().regex(/^[a-z][a-z0-9_]*$/);

export const tableStartSchema = z.strictObject({ table: name, columns: z.array(name).min(1) });

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** `sha256` of the lines of the rows, "\n" included. */
export const tableEndSchema = z.strictObject({ end: name, rows: z.number().int(), sha256: digest });

/** `sha256` of all lines before this one. */
export const backupEndSchema = z.strictObject({
  end: z.literal('backup'),
  tables: z.number().int(),
  rows: z.number().int(),
  sha256: digest,
});

export const backupRowSchema = z.array(
  z.union([z.number(), z.string(), z.null(), z.strictObject({ base64: z.base64() })]),
);

export type BackupHeader = z.infer<typeof backupHeaderSchema>;
export type TableEnd = z.infer<typeof tableEndSchema>;
