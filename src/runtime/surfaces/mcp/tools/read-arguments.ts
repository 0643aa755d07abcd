import type * as z from 'zod';
import { toDotPath } from 'zod/v4/core';
import type { CloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';

/** A tool, as far as its arguments go. */
interface Called<Input extends z.ZodObject> {
  readonly name: string;
  readonly input: Input;
}

/** The arguments of a call, checked. Throws `REQUEST_INVALID`, which names the argument. */
export function readArguments<Input extends z.ZodObject>(
  tool: Called<Input>,
  sent: Readonly<Record<string, unknown>>,
): z.output<Input> {
  const parsed = tool.input.safeParse(sent);
  if (parsed.success) return parsed.data;
  throw refusalOf(tool, parsed.error.issues[0]);
}

function refusalOf({ name, input }: Called<z.ZodObject>, issue: z.core.$ZodIssue | undefined): CloudError {
  const known = Object.keys(input.shape);
  const given = known.length > 0 ? `Give only these: ${known.join(', ')}.` : 'Give none.';
  if (issue?.code === 'unrecognized_keys' && issue.path.length === 0) {
    const [unknown = ''] = issue.keys;
    return invalidRequest(
      `The tool "${name}" has no argument "${unknown}".${didYouMean(nearestName(unknown, known))}`,
      given,
    );
  }
  const place = issue && issue.path.length > 0 ? `The argument "${toDotPath(issue.path)}"` : 'The arguments';
  return invalidRequest(
    `${place} of the tool "${name}" cannot be used: ${issue?.message ?? 'it has the wrong form'}.`,
    given,
  );
}
