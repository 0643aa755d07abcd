import * as z from 'zod';
import { genesisSchema } from './export-lines.ts';

/**
 * What a verification has seen of a log so far. Whoever verifies keeps it on their own machine and goes on there. It names the hash of
 * the last row, so that the rows behind it prove that they follow the rows that were verified.
 */

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const sequence = z.int().nonnegative();
const time = z.string();

const erasedSchema = z.strictObject({
  by: z.string().nullable(),
  reference: z.string().nullable(),
  ...{ from: time, to: time, rows: z.int().positive() },
});

/** Of the rows. */
const checkedChainSchema = z.strictObject({
  first: sequence.nullable(),
  last: sequence,
  rows: sequence,
  hash,
  time,
  version: z.literal([1, 2]),
  rowsOfPart: sequence,
  removed: z.strictObject({ to: sequence, hash }).nullable(),
  signed: z.strictObject({ size: sequence, note: z.string() }).nullable(),
  clockJumps: z.array(z.strictObject({ log: z.string(), from: time, to: time })),
  erasures: z.array(erasedSchema),
  /** Values that an erasure further behind has to tell: rows with places. */
  missing: z.array(z.tuple([sequence, z.array(z.string())])),
  readings: z.array(z.strictObject({ from: sequence, size: sequence })),
});

const restoreSchema = z.object({
  object: z.literal('restore'),
  ...{ id: z.string(), logChain: z.string(), hash, madeBy: z.string(), note: z.string() },
  ...{ size: sequence, madeAt: time, at: time },
});

/** What the register proved of the log. */
const provedSchema = z.strictObject({
  register: z.string(),
  restores: z.array(restoreSchema),
  restoresOfAll: z.array(restoreSchema),
  isAnchored: z.boolean(),
  environment: z.string().nullable(),
});

export const verifiedPartSchema = z.strictObject({
  object: z.literal('verifiedPart'),
  version: z.literal(1),
  genesis: genesisSchema,
  chain: checkedChainSchema,
  proved: provedSchema.nullable(),
  isFiltered: z.boolean(),
  /** Whether the last line was the end of an export, and of the log. */
  isCut: z.boolean(),
  isWhole: z.boolean(),
  /** The public keys that signatures were checked with. */
  keys: z.array(z.string()),
  /** The checkpoints that were kept elsewhere and that rows were compared with, as `size hash`. */
  compared: z.array(z.string()),
  /** When it was verified, ISO 8601. */
  at: time,
});

export type VerifiedPart = z.output<typeof verifiedPartSchema>;
export type CheckedChain = VerifiedPart['chain'];
