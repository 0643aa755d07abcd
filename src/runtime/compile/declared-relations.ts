import type { CollectionSchema, ColumnSchema, JoinPairs, RelationSchema } from '../query/collection-schema.ts';
import type {
  CollectionDraft,
  CollectionDrafts,
  CustomizedDraft,
  FieldDraft,
  Refuse,
  RelationDraft,
} from './collection-draft.ts';
import { isFault } from './compile-problem.ts';
import { resolveRelation } from './resolve-relation.ts';

/** The relations of collections, native and declared, as far as they could be made. */
export interface Relations {
  /** The relation of that name; `undefined` when the collection has none that could be made. */
  named(draft: CollectionDraft, name: string): RelationSchema | undefined;
  /** The declared ones of a collection. */
  declaredOn(draft: CustomizedDraft): readonly RelationSchema[];
}

/** Name the keys of every declared relation. What cannot be made is refused and left out. */
export function declaredRelations(drafts: CollectionDrafts, refuse: Refuse): Relations {
  const made = new Map<RelationDraft, RelationSchema>();
  for (const draft of drafts.customized.values()) {
    for (const field of draft.declaredFields.values()) {
      if (field.kind !== 'declared relation') continue;
      const relation = resolveRelation(drafts, draft, field);
      if (isFault(relation)) refuse(relation, field.declaration);
      else made.set(field, relation);
    }
  }
  const relationOf = (field: FieldDraft | undefined) => {
    if (!field) return undefined;
    if (field.kind === 'declared relation') return made.get(field);
    return 'foreignCollection' in field ? field : undefined;
  };
  return {
    named: (draft, name) => relationOf(draft.fields.get(name)),
    declaredOn: ({ declaredFields }) =>
      [...declaredFields.values()].flatMap((field) =>
        field.kind === 'declared relation' ? (made.get(field) ?? []) : [],
      ),
  };
}

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
