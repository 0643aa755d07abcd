import * as z from 'zod';
import { cursorParameter, limitParameter, orderParameter } from './parameters.ts';

/** `GET …/activity-logs/erasures` and `GET …/admin-logs/erasures`. */
export const erasuresQuery = z.strictObject({
  limit: limitParameter,
  cursor: cursorParameter.optional(),
  order: orderParameter.optional(),
});

/** Values of people that were deleted from rows of a log: who deleted them, when, and for which reason. */
export const erasureSchema = z.strictObject({
  object: z.literal('erasure'),
  id: z.string(),
  createdAt: z.iso.datetime(),
  /** Who did it, as the operator says; `null` in rows of platforms that did not ask. */
  by: z.string().nullable(),
  reference: z.string().nullable(),
  /** How many rows have lost values. */
  rows: z.int(),
  /** By the place of the value: the rows, as `3-7,9`. */
  erased: z.record(z.string(), z.string()),
  sequence: z.int(),
  hash: z.string(),
});

export type Erasure = Readonly<z.output<typeof erasureSchema>>;

export const erasuresEcho = z.strictObject({
  projectName: z.string(),
  environmentName: z.string().optional(),
  limit: z.int(),
});
