import type { CollectionSchema, ColumnSchema, JoinPairs, RelationSchema } from '../query/collection-schema.ts';
import type { CollectionDraft, CollectionDrafts } from './collection-draft.ts';

/** Types that a database compares whatever it calls them. */
const comparableTypes: ReadonlySet<unknown> = new Set(['Boolean', 'Number', 'String']);

/** Whether the database that holds both ends can join over a declared relation; else it is followed in the agent. */
export function isJoinable(drafts: CollectionDrafts, owner: CollectionDraft, relation: RelationSchema): boolean {
  const foreign = drafts.get(relation.foreignCollection);
  if (!owner.dataSource.extendedBy || foreign?.dataSource !== owner.dataSource) return false;
  if (relation.kind !== 'ManyToMany') {
    if (!areComparable(owner.native, relation.join, foreign.native)) return false;
    // A join on a column that is not unique would repeat the records of this side.
    return relation.kind === 'OneToMany' || isUnique(foreign.native, relation.join);
  }
  const through = drafts.get(relation.throughCollection);
  return (
    through?.dataSource === owner.dataSource &&
    areComparable(owner.native, relation.originJoin, through.native) &&
    areComparable(through.native, relation.foreignJoin, foreign.native)
  );
}

function areComparable(local: CollectionSchema, pairs: JoinPairs, foreign: CollectionSchema): boolean {
  return pairs.every((pair) => {
    const a = local.fields.get(pair.local);
    const b = foreign.fields.get(pair.foreign);
    return a?.kind === 'column' && b?.kind === 'column' && areSameType(a, b);
  });
}

function areSameType(a: ColumnSchema, b: ColumnSchema): boolean {
  if (a.nativeType.toLowerCase() === b.nativeType.toLowerCase()) return true;
  return a.type === b.type && comparableTypes.has(a.type);
}

/** Whether no two records have the same values: the columns are the primary key, or a one-to-one relation says so. */
function isUnique(collection: CollectionSchema, pairs: JoinPairs): boolean {
  const columns = pairs.map((pair) => pair.foreign);
  const isSame = (others: readonly string[]) =>
    others.length === columns.length && others.every((name) => columns.includes(name));
  return isSame(collection.primaryKey);
}
