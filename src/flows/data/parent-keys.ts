import type { RecordData } from '#runtime/index';
import { anywhere, type StoredCollection } from './development-data.ts';
import { type ParentRelation, parentRelations } from './parents-first.ts';
import type { Seeding } from './seeding.ts';

/** So many records of a collection are parents of new ones. */
const mostParents = 1_000;

/** What the key columns of a new record may be. */
export interface ParentKeys {
  /** The columns that lead to other records. */
  readonly columns: ReadonlySet<string>;
  /** Values for all of them; `undefined` where there is no record to lead to. */
  pick(): RecordData | undefined;
}

export async function readParentKeys(collection: StoredCollection, seeding: Seeding): Promise<ParentKeys> {
  const relations = parentRelations(collection);
  const choices = await Promise.all(relations.map((relation) => keysOf(collection, relation, seeding)));
  return {
    columns: new Set(relations.flatMap(({ join }) => join.map(({ local }) => local))),
    pick() {
      const picked = choices.map(([first, ...others]) => first && seeding.random.pick([first, ...others]));
      return picked.includes(undefined) ? undefined : (Object.assign({}, ...picked) as RecordData);
    },
  };
}

/** The values that the key columns of a relation may have; null where the relation may lead nowhere and there are no records yet. */
async function keysOf(
  { schema }: StoredCollection,
  { foreignCollection, join }: ParentRelation,
  { store }: Seeding,
): Promise<readonly RecordData[]> {
  const projection = join.map(({ foreign }) => foreign);
  const page = { skip: 0, limit: mostParents };
  const parents = await store.list({ collection: foreignCollection, projection, page }, anywhere);
  const keys = parents.map((parent) => Object.fromEntries(join.map(({ local, foreign }) => [local, parent[foreign]])));
  const isOptional = join.every(({ local }) => {
    const column = schema.fields.get(local);
    return column?.kind === 'column' && column.isNullable;
  });
  if (keys.length > 0 || !isOptional) return keys;
  return [Object.fromEntries(join.map(({ local }) => [local, null]))];
}
