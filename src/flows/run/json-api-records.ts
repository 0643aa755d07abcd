import * as z from 'zod';

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
const resourceSchema = identifier.extend({
  attributes: z.record(z.string(), z.unknown()).default({}),
  relationships: relationships.default({}),
});
const documentSchema = z.object({ data: z.array(resourceSchema), included: z.array(resourceSchema).default([]) });

type Resource = z.infer<typeof resourceSchema>;

/** A record with its id, its fields, and perhaps the records that its to-one relations lead to. */
export type RunRecord = Readonly<Record<string, unknown>>;

/** The records of a JSON:API list without those that they refer to, which an agent sends as well where nobody names fields. */
export function recordsAlone(body: unknown): readonly RunRecord[] {
  return documentSchema.parse(body).data.map(({ id, attributes }) => ({ id, ...attributes }));
}

/** The records of a JSON:API list. */
export function recordsOf(body: unknown): readonly RunRecord[] {
  const { data, included } = documentSchema.parse(body);
  const byKey = new Map(included.map((resource) => [keyOf(resource), resource]));
  return data.map((resource) => recordOf(resource, byKey, []));
}

/** The fields of a record that `paths` name, and no others: an agent also sends the keys of every collection on the way. */
export function fieldsOf(record: RunRecord, paths: readonly string[]): RunRecord {
  const picked: Record<string, unknown> = {};
  for (const [name, inner] of groupedByRelation(paths)) {
    const value = record[name];
    picked[name] = inner.length > 0 && isRecord(value) ? fieldsOf(value, inner) : (value ?? null);
  }
  return picked;
}

/** The first steps of paths, in order, each with what follows it. */
function groupedByRelation(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const [first = '', ...rest] = path.split(':');
    const inner = groups.get(first) ?? [];
    if (rest.length > 0) inner.push(rest.join(':'));
    groups.set(first, inner);
  }
  return groups;
}

function isRecord(value: unknown): value is RunRecord {
  return typeof value === 'object' && value !== null;
}

/** @param path The records that this one is shown in: two that lead to each other would go on without end. */
function recordOf(resource: Resource, included: ReadonlyMap<string, Resource>, path: readonly string[]): RunRecord {
  const inner = [...path, keyOf(resource)];
  const related = Object.entries(resource.relationships).flatMap(([name, { data }]) => {
    if (data === undefined || Array.isArray(data)) return [];
    const { attributes, relationships: own = {} } = data?.meta ?? {};
    const nameless = data && attributes && { type: data.type, id: data.id, attributes, relationships: own };
    const target = nameless ?? (data && !inner.includes(keyOf(data)) ? included.get(keyOf(data)) : undefined);
    return [[name, target ? recordOf(target, included, inner) : data && { id: data.id }] as const];
  });
  return { id: resource.id, ...resource.attributes, ...Object.fromEntries(related) };
}

function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${type} ${id}`;
}
