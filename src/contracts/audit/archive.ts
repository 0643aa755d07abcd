import * as z from 'zod';
import { sha256 } from '#kernel/digests/digests';
import { canonicalJson } from '#kernel/json/canonical-json';
import { type CheckpointKey, isSignedBy } from './checkpoint.ts';
import { type ErasureEntry, readRanges } from './erasure.ts';
import { genesisSchema } from './export-lines.ts';
import type { Segment } from './segment.ts';

/**
 * An archive of logs: for each month of a log three Parquet files, and a manifest that says which ones. The manifest is written last, so
 * that a month without one is not archived.
 */

const archivedFileSchema = z.object({
  /** From the root of the archive. */
  path: z.string(),
  bytes: z.int().positive(),
  /** In hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  rows: z.int().nonnegative(),
});

const archivedErasureSchema = z.object({
  /** The row of the log that says so. */
  sequence: z.int().positive(),
  /** By the place of the value: rows of any month. */
  erased: z.record(z.string(), z.string()),
  reference: z.string().optional(),
  by: z.string().optional(),
  at: z.string(),
  /** The same, signed. */
  note: z.string(),
});

/** The file that says what a month of a log is made of. */
const manifestSchema = z.object({
  object: z.literal('archive'),
  /** The newest format is 1. */
  format: z.literal(1),
  genesis: genesisSchema,
  /** The segment of the month, signed. */
  note: z.string(),
  /** The rows as they were hashed, with columns of their own for what is searched. */
  rows: archivedFileSchema,
  /** Which rows are about which record. */
  records: archivedFileSchema,
  /** Personal values with their salts. */
  values: archivedFileSchema,
  /** What was deleted from the values. */
  erasures: z.array(archivedErasureSchema),
  /** ISO 8601. */
  madeAt: z.string(),
  /** A note of the platform about all of the above. */
  signature: z.string(),
});

export type ArchiveManifest = Readonly<z.output<typeof manifestSchema>>;
export type ArchivedFile = ArchiveManifest['rows'];
export type ArchivedErasure = ArchiveManifest['erasures'][number];
/** Before it is signed. */
export type ArchiveStatement = Omit<ArchiveManifest, 'signature'>;

/** `undefined` for any other text, and for a manifest of a newer format. */
export function readManifest(text: string): ArchiveManifest | undefined {
  try {
    return manifestSchema.safeParse(JSON.parse(text)).data;
  } catch {
    // Told by who asks.
    return undefined;
  }
}

/** What is signed of a manifest. */
export function archiveText({
  signature: _,
  ...statement
}: ArchiveStatement & { readonly signature?: string }): string {
  return `vendor-cloud.audit.archive/${statement.genesis.chain}\n${sha256(canonicalJson(statement))}\n`;
}

export function isSignedManifest(manifest: ArchiveManifest, keys: readonly CheckpointKey[]): boolean {
  return manifest.signature.startsWith(`${archiveText(manifest)}\n`) && isSignedBy(manifest.signature, keys);
}

/** The tables of an archive, each a folder of its own: an engine reads all files below it as one table. */
export const archiveTables = ['rows', 'records', 'values'] as const;
export const manifestFolder = 'manifests';

interface ArchivePlace {
  readonly genesis: ArchiveManifest['genesis'];
  readonly segment: Pick<Segment, 'month'>;
  /** How often the values were written: the row of the newest erasure from them, 0 before the first one. */
  readonly erasedTo: number;
}

/** Where the parts of a month lie. Two runs that archive the same thing write the same files. */
export function archivePaths({ genesis, segment, erasedTo }: ArchivePlace) {
  const [year = '', month = ''] = segment.month.split('-');
  const log = genesis.environment === null ? 'admin' : `activity-${genesis.environment}`;
  const folder = `project=${inFolder(genesis.project)}/log=${inFolder(log)}/year=${year}/month=${Number(month)}`;
  const { chain } = genesis;
  return {
    rows: `rows/${folder}/${chain}.parquet`,
    records: `records/${folder}/${chain}.parquet`,
    values: `values/${folder}/${chain}-${erasedTo}.parquet`,
    manifest: `${manifestFolder}/${folder}/${chain}-${erasedTo}.json`,
  };
}

/** As Hive writes it. A folder `null` would be read as no value at all. */
function inFolder(name: string): string {
  const encoded = [...new TextEncoder().encode(name)].map((byte) => {
    const letter = String.fromCharCode(byte);
    return /[\w.-]/.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  const text = encoded.join('');
  return /^(?:null|\.+|)$/i.test(text) ? `%${text.charCodeAt(0).toString(16).toUpperCase()}${text.slice(1)}` : text;
}

type RowsOf = Pick<Segment, 'first' | 'last'>;

/** The values of a segment that an erasure names: place and row. */
export function* erasedWithin(
  { erased }: Pick<ErasureEntry, 'erased'>,
  { first, last }: RowsOf,
): Generator<readonly [place: string, row: number]> {
  for (const [place, text] of Object.entries(erased)) {
    for (const { from, to } of readRanges(text) ?? []) {
      for (let row = Math.max(from, first); row <= Math.min(to, last); row++) yield [place, row];
    }
  }
}

export function isAbout(erasure: Pick<ErasureEntry, 'erased'>, segment: RowsOf): boolean {
  return erasedWithin(erasure, segment).next().done !== true;
}
