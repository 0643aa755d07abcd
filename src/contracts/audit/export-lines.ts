import * as z from 'zod';
import { exportedRegisterSchema } from './exported-register.ts';

/** The lines of an export beside its rows. */

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const sequence = z.int().nonnegative();

/** What the first row of a chain is linked to. */
export const genesisSchema = z.object({
  object: z.literal('genesis'),
  chain: z.uuid(),
  kind: z.enum(['activity', 'admin']),
  project: z.string(),
  environment: z.string().nullable(),
  createdAt: z.string(),
});

/** The newest format of exports. A verifier refuses newer ones by name. */
export const exportFormat = 2;

const startMembers = {
  object: z.literal('start'),
  genesis: genesisSchema,
  /** Names of the filters. An export with filters has gaps, so that it cannot be verified. */
  filters: z.array(z.string()),
  /** Public keys of the platform. Trust them only when they come from elsewhere too. */
  keys: z.array(z.string()),
  /** In an export from the beginning, of a platform with a key: which logs there are, and whose. */
  register: exportedRegisterSchema.optional(),
};
const placeMembers = {
  /** The export goes on behind this row; 0 for the beginning. */
  after: sequence,
  /** Hash of that row. */
  previousHash: hash,
};

/** The first line. */
export const exportStartSchema = z.object({
  ...startMembers,
  format: z.literal(exportFormat),
  place: z.object({
    ...placeMembers,
    /** How long the log was when the export began: of later erasures, it may show the one or the other. */
    headSequence: sequence,
  }),
});

/** The first line of version 0.1.0, which had rows of version 1 only. */
export const firstExportStartSchema = z.object({ ...startMembers, ...placeMembers });

/** A place to go on from after a cut, every 1,000 rows. */
const exportPlaceSchema = z.object({ object: z.literal('checkpoint'), cursor: z.string(), sequence });

/** The last line. An export without it was cut off. */
export const exportEndSchema = z.object({
  object: z.literal('end'),
  /** Goes on behind the last row. */
  cursor: z.string(),
  /** How many rows were exported. */
  count: z.int().nonnegative(),
  /** Whether there are rows behind them. */
  hasMore: z.boolean(),
  headSequence: sequence,
  headHash: hash,
  /** `null` on a platform without a key. */
  signedCheckpoint: z.string().nullable(),
});

export type ExportStart = z.output<typeof exportStartSchema>;
export type ExportPlace = z.output<typeof exportPlaceSchema>;
export type ExportEnd = z.output<typeof exportEndSchema>;
