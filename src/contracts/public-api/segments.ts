import * as z from 'zod';
import { registerGenesisSchema } from '../audit/exported-register.ts';
import { wholeNumber } from './parameters.ts';

/** `2026-10`. */
export const monthParameter = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, 'a month such as 2026-10');

const sequenceParameter = z
  .string()
  .regex(/^(?:0|[1-9]\d{0,14})$/, 'a whole number')
  .transform(Number)
  .meta(wholeNumber(0, 10 ** 15 - 1));

/** `GET …/integrity/segments/<chain>`: the segments of a log, the oldest first. */
export const segmentsSchema = z.object({
  object: z.literal('segments'),
  chain: z.string(),
  segments: z.array(
    z.object({
      month: z.string(),
      /** Sequences of its first and its last row. */
      first: z.int(),
      last: z.int(),
      size: z.int(),
      /** Signed; `null` for the month that goes on. */
      note: z.string().nullable(),
      /** Whether its rows are still in the log. */
      isKept: z.boolean(),
      /** Notes that other machines have signed as well. */
      cosigned: z.array(z.string()),
    }),
  ),
});

/** `GET …/integrity/segments/<chain>/<month>`. */
export const segmentQuery = z.strictObject({
  /** A proof that the segment began as one of this many rows. */
  from: sequenceParameter.optional(),
});

export const segmentSchema = z.object({
  object: z.literal('segment'),
  /** Signed; of the month that goes on, as far as it is now. */
  note: z.string(),
  /** The proof, as hashes; `null` where nobody asked for one. */
  consistency: z.array(z.string()).nullable(),
});

/** `GET …/activity-logs/segments/<month>`: its rows as lines of JSON, at most 5,000 at a time. */
export const segmentRowsQuery = z.strictObject({
  /** Go on behind this row. */
  after: sequenceParameter.optional(),
});

export type Segments = Readonly<z.output<typeof segmentsSchema>>;
export type SegmentWithProof = Readonly<z.output<typeof segmentSchema>>;

/** `GET …/integrity/register`: some rows of the register as hashes. */
export const registerQuery = z.strictObject({
  /** Go on behind this row. */
  after: sequenceParameter.optional(),
});

export const registerPageSchema = z.object({
  object: z.literal('register'),
  /** What the first row is linked to. */
  genesis: registerGenesisSchema,
  /** SHA-256 of 0 and the body of each row behind `after`, at most 5,000 of them. */
  leaves: z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(5_000),
  /** The newest one of the register, signed. */
  signedCheckpoint: z.string(),
  /** Checkpoints that other machines have signed as well, on behalf of the project. */
  cosigned: z.array(z.string()),
});

export type RegisterPage = Readonly<z.output<typeof registerPageSchema>>;

/** `POST …/integrity/cosignatures`. */
export const cosignatureSchema = z.strictObject({
  /** As the platform gave it, with the signature of the machine as one line more. */
  note: z
    .string()
    .max(2_000)
    .refine((note) => note.match(/^— /gm)?.length === 2, 'a note with two signatures'),
  /** The public key of the machine. */
  cosigner: z.string().max(300),
});

/** What became of it. */
export const keptCosignatureSchema = z.object({
  object: z.literal('cosignature'),
  chain: z.string(),
  /** `null` for the register. */
  month: z.string().nullable(),
  size: z.int(),
});

export type KeptCosignature = Readonly<z.output<typeof keptCosignatureSchema>>;
