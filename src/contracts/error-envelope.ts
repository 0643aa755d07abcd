import * as z from 'zod';

/** The error body of every server of the product: exactly one element. */
export const errorEnvelopeSchema = z.object({
  errors: z.array(
    z.object({
      name: z.string(),
      detail: z.string(),
      status: z.number().int(),
      data: z.unknown().optional(),
      /** Code of the catalogue and what to do next, where the answering server is ours. */
      code: z.string().optional(),
      nextSteps: z.array(z.string()).optional(),
    }),
  ),
});

export type ErrorEnvelope = z.infer<typeof errorEnvelopeSchema>;
