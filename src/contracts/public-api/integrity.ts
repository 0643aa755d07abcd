import * as z from 'zod';

/** `GET /v1/project/<project>/integrity`: what an export is verified with. */
export const integritySchema = z.object({
  object: z.literal('integrity'),
  /** Public keys, as verifiers of signed notes. */
  keys: z.array(z.string()),
  chains: z.array(
    z.object({
      chain: z.string(),
      kind: z.enum(['activity', 'admin']),
      environment: z.string().nullable(),
      firstSequence: z.int(),
      headSequence: z.int(),
      /** The newest one, signed; `null` on a platform without a key. */
      checkpoint: z.string().nullable(),
    }),
  ),
});

export type Integrity = Readonly<z.output<typeof integritySchema>>;
