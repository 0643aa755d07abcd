import { type CompiledCollection, isValueField, type ModelView } from '../../model/compiled-model.ts';
import { conditionOfKeys } from '../../model/record-id.ts';
import type {
  JoinPairs,
  ManyToManyRelation,
  OneToManyRelation,
  RelationSchema,
} from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from './record-engine.ts';

export type ToManyRelation = OneToManyRelation | ManyToManyRelation;

/**
 * The condition that selects the records behind a to-many relation of one record, on their collection.
 *
 * @param parent holds the columns that the relation starts from.
 */
export async function relatedCondition(
  engine: RecordEngine,
  relation: ToManyRelation,
  owner: CompiledCollection,
  parent: RecordData,
  call: CallContext,
): Promise<ConditionTree> {
  if (relation.kind === 'OneToMany') {
    const foreign = engine.collectionNamed(relation.foreignCollection);
    return keysEqual(asDatabaseCompares(engine.model, foreign, relation.join, owner.name), parent);
  }
  const back = inverseOf(engine.model, owner, relation);
  // The parts of a key could be met by different records at the other end.
  if (back !== undefined && relation.originJoin.length === 1) {
    return keysEqual(
      relation.originJoin.map(({ local }) => ({ local, foreign: `${back}:${local}` })),
      parent,
    );
  }
  // The links are asked for first.
  const through = engine.collectionNamed(relation.throughCollection);
  const locals = relation.foreignJoin.map(({ local }) => local);
  const foreigns = relation.foreignJoin.map(({ foreign }) => foreign);
  const links = await engine.distinctKeys(through, locals, linkCondition(engine, relation, owner, parent), call);
  return conditionOfKeys(foreigns, [...links.values()]);
}

/** The rows of the through collection that link a record of `owner`. */
export function linkCondition(
  { model, collectionNamed }: Pick<RecordEngine, 'model' | 'collectionNamed'>,
  relation: ManyToManyRelation,
  owner: Pick<CompiledCollection, 'name'>,
  parent: RecordData,
): ConditionTree {
  const through = collectionNamed(relation.throughCollection);
  return keysEqual(asDatabaseCompares(model, through, relation.originJoin, owner.name), parent);
}

/**
 * Pairs whose condition finds the records that the database itself joins. Two texts may be the same to it, and differ in case,
 * accents or trailing blanks. Then the columns of `referring` are reached through its relation back, which is a join, because
 * the value of a column is compared exactly.
 *
 * @param pairs from the other side (`local`) to a column of `referring` (`foreign`).
 * @param other The collection of the other side.
 */
export function asDatabaseCompares(
  model: ModelView,
  referring: CompiledCollection,
  pairs: JoinPairs,
  other: string,
): JoinPairs {
  const isText = ({ foreign }: JoinPairs[number]) => {
    const field = referring.native.fields.get(foreign);
    return field?.kind === 'column' && (field.type === 'String' || field.type === 'Enum');
  };
  if (!pairs.some(isText)) return pairs;
  for (const field of model.collections.get(referring.name)?.fields.values() ?? []) {
    if (isValueField(field) || field.kind !== 'ManyToOne' || field.foreignCollection !== other) continue;
    if (!referring.native.fields.has(field.name) || !isMirrored(field.join, pairs)) continue;
    return pairs.map(({ local }) => ({ local, foreign: `${field.name}:${local}` }));
  }
  return pairs;
}

/** The columns of the other side have the values that this side has. A record without a value is linked to nothing. */
export function keysEqual(pairs: JoinPairs, record: RecordData): ConditionTree {
  const values = pairs.map(({ local }) => record[local] ?? null);
  if (values.includes(null)) return { aggregator: 'Or', conditions: [] };
  return {
    aggregator: 'And',
    conditions: pairs.map(({ foreign }, index) => ({ field: foreign, operator: 'Equal', value: values[index] })),
  };
}

/** The many-to-many relation over the same links, the other way round. */
function inverseOf(model: ModelView, owner: CompiledCollection, relation: ManyToManyRelation): string | undefined {
  const foreign = model.collections.get(relation.foreignCollection);
  for (const field of foreign?.fields.values() ?? []) {
    if (!isValueField(field) && isInverse(field, owner, relation)) return field.name;
  }
  return undefined;
}

function isInverse(field: RelationSchema, owner: CompiledCollection, relation: ManyToManyRelation): boolean {
  if (field.kind !== 'ManyToMany' || field.foreignCollection !== owner.name || field === relation) return false;
  return (
    field.throughCollection === relation.throughCollection &&
    isMirrored(field.originJoin, relation.foreignJoin) &&
    isMirrored(field.foreignJoin, relation.originJoin)
  );
}

function isMirrored(a: JoinPairs, b: JoinPairs): boolean {
  return (
    a.length === b.length &&
    a.every((pair) => b.some((other) => other.local === pair.foreign && other.foreign === pair.local))
  );
}
