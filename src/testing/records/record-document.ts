import * as z from 'zod';
import type { AnySchema, SchemaShape } from '#runtime/index';
import { expectShape } from '../errors/agent-test-errors.ts';

const identifier = z.object({
  type: z.string(),
  id: z.string(),
  /** The values of a linked record without a key, which no id finds among `included`, and what it leads to itself. */
  get meta() {
    return z
      .object({
        attributes: z.record(z.string(), z.unknown()).optional(),
        relationships: relationships.optional(),
      })
      .optional();
  },
});
const relationships = z.record(
  z.string(),
  z.object({
    get data() {
      return z.union([identifier, z.null(), z.array(identifier)]).optional();
    },
  }),
);
const resource = identifier.extend({
  attributes: z.record(z.string(), z.unknown()).default({}),
  relationships: relationships.default({}),
});
const document = z.object({
  data: z.union([z.array(resource), resource, z.null()]),
  included: z.array(resource).default([]),
});

type Resource = z.infer<typeof resource>;

/** A record whose fields the compiler does not know. */
export type PlainRecord = Readonly<Record<string, unknown>>;

/** The records of a JSON:API document; one document of one record gives one, of none gives none. */
export function recordsOf(body: unknown): PlainRecord[] {
  const { data, included } = expectShape(document, body, 'records');
  const byKey = new Map(included.map((part) => [keyOf(part), part]));
  const resources = data === null ? [] : Array.isArray(data) ? data : [data];
  return resources.map((part) => recordOf(part, byKey, new Set()));
}

/** `path` holds what the record is nested in: records that refer to each other would nest without end. */
function recordOf(
  { type, id, attributes, relationships }: Resource,
  included: ReadonlyMap<string, Resource>,
  path: ReadonlySet<string>,
): PlainRecord {
  const record: Record<string, unknown> = { id };
  for (const [name, value] of Object.entries(attributes)) record[camelCase(name)] = value;
  const innerPath = new Set([...path, keyOf({ type, id })]);
  for (const [name, { data }] of Object.entries(relationships)) {
    if (data === undefined || Array.isArray(data)) continue;
    const { attributes: own, relationships: behind = {} } = data?.meta ?? {};
    const nameless = data && own && { type: data.type, id: data.id, attributes: own, relationships: behind };
    const target = nameless ?? (data && !innerPath.has(keyOf(data)) ? included.get(keyOf(data)) : undefined);
    record[camelCase(name)] = target ? recordOf(target, included, innerPath) : data;
  }
  return record;
}

function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type} ${id}`;
}

/** `full_name` → `fullName`. Only names of fields: what a JSON column holds stays as it is. */
function camelCase(name: string): string {
  return name.replaceAll(/(?<=[^_\s-])[_\s-]+([^_\s-])/g, (_, letter: string) => letter.toUpperCase());
}

/** A name of a field as a test sees it: `full_name` → `fullName`. */
type CamelCase<Name extends string> = string extends Name
  ? Name
  : Name extends `${infer Head}_${infer Tail}`
    ? Head extends ''
      ? `_${CamelCase<Tail>}`
      : `${Head}${Capitalize<CamelCase<Tail>>}`
    : Name;

/**
 * A record as a test sees it: `id`, the attributes and the to-one relations side by side, names in camel case. A relation is the
 * related record where fields of it were asked for, else `{ type, id }`, and `null` where it leads nowhere. Dates are ISO 8601
 * texts, exact numbers (decimals, large integers) are texts. Without generated typings every value is `unknown`.
 */
export type TestRecord<
  S extends SchemaShape<S> = AnySchema,
  C extends Extract<keyof S, string> = Extract<keyof S, string>,
> = string extends C
  ? Readonly<Record<string, unknown>>
  : { readonly [F in Extract<keyof S[C]['fields'], string> as CamelCase<F>]?: S[C]['fields'][F] } & {
      readonly [R in Exclude<
        Extract<keyof S[C]['relations'], string>,
        keyof S[C]['fields']
      > as S[C]['relations'][R] extends readonly unknown[] ? never : CamelCase<R>]?: Readonly<
        Record<string, unknown>
      > | null;
    } & { readonly [Other in string]?: unknown };
