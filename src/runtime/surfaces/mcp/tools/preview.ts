import { z } from 'zod';

/** What a person is shown before a call is carried out. */
export interface Preview {
  /** What will be done, in one sentence. */
  readonly message: string;
  /** How many records it is about. */
  readonly count: number;
  /** The first of them. */
  readonly sample: readonly SampleRecord[];
}

export interface SampleRecord {
  readonly id: string;
  /** The first text of the record, where the caller may read it. */
  readonly label?: string;
}

/** The part of an output schema that asks for a confirmation. */
export const confirmationOutput = {
  message: z.string().optional(),
  confirmationToken: z.string().optional(),
  expiresAt: z.string().optional(),
  count: z.int().optional(),
  sample: z.array(z.object({ id: z.string(), label: z.string().optional() })).optional(),
};
