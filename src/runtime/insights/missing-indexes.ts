import type { Insights, MissingIndex, UnadvisedReason } from '#contracts/insights';
import type { IndexAdvice } from '../data-sources/interface/data-source.ts';
import { type CompiledCollection, type CompiledModel, isValueField } from '../model/compiled-model.ts';
import { keyOrder } from '../model/key-order.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { type ConditionTree, isBranch } from '../query/condition-tree.ts';
import type { Operator } from '../query/operators.ts';
import type { ListQuery } from '../query/record-query.ts';
import { isRelativeDateOperator } from '../query/relative-dates.ts';
import { type CallContext, queryContext } from '../records/calls/call-context.ts';
import type { RecordedQuery } from './query-recorder.ts';
import type { QueryShape } from './query-shape.ts';

/** Slow queries that databases are asked about, those that took the most time. */
const mostAsked = 20;

/** The indexes that slow lists and counts lack, one after the other, so that they take one connection, and why others lack none. */
export async function missingIndexes(
  model: CompiledModel,
  slow: readonly (readonly [string, RecordedQuery])[],
  context: CallContext,
): Promise<Required<Pick<Insights, 'indexes' | 'unadvised'>>> {
  const found = new Map<string, MissingIndex>();
  const unadvised: { query: string; reason: UnadvisedReason }[] = [];
  let asked = 0;
  for (const [id, { shape }] of slow) {
    const advice = asked < mostAsked ? await adviceFor(model, shape, context) : 'later';
    if (typeof advice === 'string') {
      unadvised.push({ query: id, reason: advice });
      if (advice === 'served') asked++;
      continue;
    }
    asked++;
    const known = found.get(advice.statement);
    if (known) known.queries.push(id);
    else found.set(advice.statement, missingIndex(advice, advice.collection, id));
  }
  return { indexes: [...found.values()], unadvised };
}

async function adviceFor(
  model: CompiledModel,
  shape: QueryShape,
  context: CallContext,
): Promise<(IndexAdvice & { readonly collection: CompiledCollection }) | UnadvisedReason> {
  if (shape.kind === 'record') return 'key';
  if (shape.kind === 'chart' || shape.kind === 'action') return 'code';
  const asked = queryOf(model, shape);
  if (!asked) return 'computed';
  const { collection, query } = asked;
  const { store } = collection;
  if (!store.adviseIndex) return 'engine';
  const advice = await store.adviseIndex(query, queryContext(context, collection));
  return advice ? { ...advice, collection } : 'served';
}

function missingIndex(advice: IndexAdvice, { name }: CompiledCollection, id: string): MissingIndex {
  const { columns, statement, plan, estimate = null, note = null } = advice;
  return { collection: name, columns: [...columns], statement, queries: [id], plan: [...plan], estimate, note };
}

const firstPage = { skip: 0, limit: 15 };

/** The part of a list or a count that its database can do, in original names; `undefined` where an index of one table cannot help. */
function queryOf(
  model: CompiledModel,
  shape: QueryShape,
): { collection: CompiledCollection; query: ListQuery } | undefined {
  const { kind, sort = [] } = shape;
  const published = model.collections.get(shape.collection ?? '');
  const collection = model.original.collections.get(published?.name ?? '');
  if (!published || !collection || (kind !== 'list' && kind !== 'count' && kind !== 'aggregate')) return undefined;
  const conditions = [...conditionsOf(model, published, shape)]
    .map((tree) => nativePart(collection, tree))
    .filter((tree) => tree !== undefined);
  const clauses = sort.map((clause) => ({ ...clause, field: model.names.originalPath(published.name, clause.field) }));
  const isNative = clauses.every(({ field }) => nativeColumn(collection, field) && !collection.rules.get(field)?.sort);
  const order = isNative ? clauses : [];
  if (conditions.length === 0 && order.length === 0) return undefined;
  const keys = keyOrder(collection).filter(({ field }) => order.every((clause) => clause.field !== field));
  const wholeOrder = [...order, ...keys.map((key) => ({ ...key, order: 'any' as const }))];
  return {
    collection,
    query: {
      collection: collection.name,
      projection: collection.primaryKey,
      where: { aggregator: 'And', conditions },
      ...(kind === 'list' ? { sort: wholeOrder, page: firstPage } : {}),
    },
  };
}

/** What the shape says of records: its filter, the condition of its segment, and the key of the record that leads to them. */
function* conditionsOf(
  model: CompiledModel,
  published: CompiledCollection,
  shape: QueryShape,
): Iterable<ConditionTree> {
  const { where, name, relation } = shape;
  if (where) yield model.names.originalTree(published.name, where);
  const segment = name === undefined ? undefined : published.segments.get(name);
  if (typeof segment === 'object') yield segment;
  if (!relation) return;
  const owner = model.original.collections.get(relation.collection);
  const field = owner?.fields.get(model.names.originalPath(relation.collection, relation.relation));
  if (field?.kind !== 'OneToMany') return;
  for (const { foreign } of field.join) yield { field: foreign, operator: 'Equal' };
}

/** The conditions on columns that the database knows, with values that stand for nothing. */
function nativePart(collection: CompiledCollection, node: ConditionTree): ConditionTree | undefined {
  if (isBranch(node)) {
    const conditions = node.conditions.map((part) => nativePart(collection, part));
    const known = conditions.filter((part) => part !== undefined);
    const isWhole = known.length === conditions.length;
    return isWhole || node.aggregator === 'And' ? { ...node, conditions: known } : undefined;
  }
  const column = nativeColumn(collection, node.field);
  const isKnown =
    column?.operators.has(node.operator) && !collection.rules.get(node.field)?.replacedOperators.has(node.operator);
  return column && isKnown ? { ...node, value: valueFor(column, node.operator) } : undefined;
}

function nativeColumn(collection: CompiledCollection, name: string): ColumnSchema | undefined {
  const published = collection.fields.get(name);
  const field = collection.native.fields.get(name);
  return published && isValueField(published) && field?.kind === 'column' && !field.expression ? field : undefined;
}

/** A value of the type of a column, which nobody has chosen. */
function valueFor(column: ColumnSchema, operator: Operator): unknown {
  if (isRelativeDateOperator(operator)) return 1;
  if (operator === 'In' || operator === 'NotIn') return [anyValue(column)];
  return anyValue(column);
}

function anyValue({ type, isExact, enumValues }: ColumnSchema): unknown {
  switch (type) {
    case 'Number':
      return isExact ? '0' : 0;
    case 'Boolean':
      return true;
    case 'Date':
      return '2000-01-01T00:00:00.000Z';
    case 'Dateonly':
      return '2000-01-01';
    case 'Time':
      return '00:00:00';
    case 'Uuid':
      return '00000000-0000-0000-0000-000000000000';
    case 'Enum':
      return enumValues?.[0] ?? 'x';
    default:
      return 'x';
  }
}
