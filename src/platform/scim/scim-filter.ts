import * as z from 'zod';
import { fromLibrary, scimError } from './scim-errors.ts';

/** An attribute that must have a value. */
export interface Condition {
  /** In lower case: `username`, `emails.value`. */
  readonly attribute: string;
  readonly value: string | number | boolean;
}

const tree = z.array(z.record(z.string(), z.unknown()));
const comparison = z.tuple([z.literal('eq'), z.union([z.string(), z.number(), z.boolean()])]);
const nested = z.record(z.string(), z.unknown());

/**
 * The conditions of a filter that all have to hold. Clients find people and groups with `eq` and `and`; nothing else is taken.
 *
 * @throws `REQUEST_INVALID`
 */
export async function readFilter(text: string | undefined, known: readonly string[]): Promise<readonly Condition[]> {
  if (text === undefined) return [];
  const conditions = await parse(text);
  const unknown = conditions.find(({ attribute }) => !known.includes(attribute));
  if (unknown) throw unsupported(`The attribute "${unknown.attribute}" cannot be filtered by`, known);
  return conditions;
}

async function parse(text: string): Promise<readonly Condition[]> {
  const { default: scimmy } = await import('scimmy');
  let parsed: unknown;
  try {
    parsed = new scimmy.Types.Filter(text);
  } catch (error) {
    throw fromLibrary(error, 'invalidFilter');
  }
  const [alternative, ...others] = tree.parse([...(parsed as Iterable<unknown>)]);
  if (!alternative || others.length > 0) throw unsupported('The filter has "or"', []);
  return Object.entries(alternative).flatMap(([name, value]) => conditionsOf(name, value));
}

function conditionsOf(name: string, value: unknown): readonly Condition[] {
  const attribute = name.toLowerCase();
  const compared = comparison.safeParse(value);
  if (compared.success) return [{ attribute, value: compared.data[1] }];
  const below = Array.isArray(value) ? undefined : nested.safeParse(value);
  if (below?.success) {
    return Object.entries(below.data).flatMap(([part, inner]) => conditionsOf(`${attribute}.${part}`, inner));
  }
  throw unsupported(`"${name}" is compared with something else than "eq"`, []);
}

function unsupported(why: string, known: readonly string[]) {
  const names = known.length === 0 ? '' : ` Attributes: ${known.join(', ')}.`;
  return scimError('invalidFilter', `${why}.`, `Use "eq", joined by "and".${names}`);
}
