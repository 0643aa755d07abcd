import * as z from 'zod';

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

/** The part of an output schema that asks for a confirmation; the message, the end and the sample come besides. */
export const confirmationOutput = {
  confirmationToken: z.string().optional(),
  count: z.int().optional(),
};
