import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { nearestName } from '#kernel/text/nearest-name';

/** The first thing that is wrong with options. It names the option, and never its value. */
export function refusalOfOptions(schema: z.ZodObject, error: z.ZodError): CloudError {
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  const [unknown] = issue?.code === 'unrecognized_keys' ? issue.keys : [];
  if (unknown === undefined) return invalidOption(path.join('.'), reasonOf(issue));
  return invalidOption([...path, unknown].join('.'), noSuchOption(unknown, optionsAt(schema, path)));
}

export function invalidOption(option: string, reason: string): CloudError {
  return cloudError(
    'AGENT_OPTION_INVALID',
    option === '' ? `The options are invalid: ${reason}.` : `The option "${option}" is invalid: ${reason}.`,
    'Correct it where the agent is created.',
  );
}

function noSuchOption(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return `there is no such option${nearest === undefined ? '' : `; the nearest one is "${nearest}"`}`;
}

/** The options that stand at a path of the schema. */
function optionsAt(schema: z.ZodObject, path: readonly PropertyKey[]): readonly string[] {
  let shape: Readonly<Record<PropertyKey, unknown>> = schema.shape;
  for (const step of path) shape = objectIn(shape[step])?.shape ?? {};
  return Object.keys(shape);
}

/** The object in a schema that has a default, or takes something else as well. */
function objectIn(schema: unknown): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return objectIn(schema.unwrap());
  }
  return schema instanceof z.ZodUnion ? schema.options.map(objectIn).find((found) => found !== undefined) : undefined;
}

function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  return issue?.message.replace(/^Invalid input: /, '') ?? 'they cannot be read';
}

/** The error of a plugin that is given what it cannot use. */
export function pluginMisused(message: string): CloudError {
  return cloudError('CUSTOMIZATION_INVALID', message, 'Correct the call of "use".');
}
