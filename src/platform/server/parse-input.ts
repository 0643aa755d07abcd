import type * as z from 'zod';
import { cloudError } from '#kernel/errors/cloud-error';

/** What came in, as the schema describes it; throws `REQUEST_INVALID` naming the first place that does not fit. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const place = issue?.path.join('.');
  throw cloudError(
    'REQUEST_INVALID',
    place ? `"${place}" is not valid: ${issue?.message}.` : `The request is not valid: ${issue?.message}.`,
    'Correct the place the message names and send the request again.',
    { cause: parsed.error },
  );
}
