import type { DateTime } from 'luxon';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ColumnSchema, JoinPairs, RelationSchema } from '../../query/collection-schema.ts';
import { expressionReader } from '../../query/evaluate-expression.ts';
import { expressionFields } from '../../query/expression.ts';
import type { RecordData } from '../../query/record-query.ts';
import { keyReader, type MemoryTable } from './memory-table.ts';

/** The relations that paths go through, as a tree, and the expressions that they end in. */
interface RelationNode {
  readonly table: MemoryTable;
  readonly relations: Map<string, RelationNode>;
  /** Each after those that it is made of. */
  readonly expressions: Map<string, ColumnSchema>;
}

type Tables = ReadonlyMap<string, MemoryTable>;
type JoinRecord = (record: RecordData) => RecordData;

/**
 * The records with the relations that `paths` go through nested in them, and with the expressions that paths end in. A to-one
 * relation without a partner is `null`, and a to-many one is a list.
 *
 * @param now the present, in the time zone of the caller.
 */
export function joinRecords(
  tables: Tables,
  table: MemoryTable,
  paths: Iterable<string>,
  now: DateTime,
): readonly RecordData[] {
  const root = nodeOf(table);
  for (const path of paths) reach(tables, root, path);
  return table.records.map(joiner(tables, root, now));
}

function nodeOf(table: MemoryTable): RelationNode {
  return { table, relations: new Map(), expressions: new Map() };
}

function reach(tables: Tables, root: RelationNode, path: string): void {
  const steps = path.split(':');
  const last = steps.pop() ?? '';
  const node = steps.reduce((current, step) => {
    const next = current.relations.get(step) ?? nodeOf(tableBehind(tables, current.table, step));
    current.relations.set(step, next);
    return next;
  }, root);
  const column = node.table.schema.fields.get(last);
  if (column?.kind !== 'column' || !column.expression || node.expressions.has(last)) return;
  for (const field of expressionFields(column.expression)) reach(tables, node, field);
  node.expressions.set(last, column);
}

function joiner(tables: Tables, { table, relations, expressions }: RelationNode, now: DateTime): JoinRecord {
  const partners = [...relations].map(([name, child]) => {
    const relation = relationNamed(table, name);
    const related = relatedOf(tables, table, relation);
    const join = onceEach(joiner(tables, child, now));
    const isToMany = isToManyRelation(relation);
    return (record: RecordData): readonly [string, unknown] => {
      const found = related(record).map(join);
      return [name, isToMany ? found : (found[0] ?? null)];
    };
  });
  const columnOf = (path: string) => columnAt(tables, table, path);
  const computed = [...expressions.values()].flatMap(({ name, expression }) =>
    expression ? [[name, expressionReader(expression, columnOf, now)] as const] : [],
  );
  if (partners.length === 0 && computed.length === 0) return (record) => record;
  return (record) => {
    const joined = { ...record, ...Object.fromEntries(partners.map((partnersOf) => partnersOf(record))) };
    for (const [name, read] of computed) joined[name] = read(joined);
    return joined;
  };
}

/** A record may be the partner of many. */
function onceEach(join: JoinRecord): JoinRecord {
  const joined = new Map<RecordData, RecordData>();
  return (record) => {
    const known = joined.get(record) ?? join(record);
    joined.set(record, known);
    return known;
  };
}

/** The records at the other end of a relation. */
function relatedOf(
  tables: Tables,
  table: MemoryTable,
  relation: RelationSchema,
): (record: RecordData) => readonly RecordData[] {
  const foreign = tableNamed(tables, relation.foreignCollection);
  if (relation.kind !== 'ManyToMany') return matchesOf(table, foreign, relation.join);
  const through = tableNamed(tables, relation.throughCollection);
  const linksOf = matchesOf(table, through, relation.originJoin);
  const endsOf = matchesOf(through, foreign, relation.foreignJoin);
  return (record) => linksOf(record).flatMap(endsOf);
}

function matchesOf(
  table: MemoryTable,
  foreign: MemoryTable,
  join: JoinPairs,
): (record: RecordData) => readonly RecordData[] {
  const foreignKey = keyReader(
    foreign.schema,
    join.map((pair) => pair.foreign),
  );
  const localKey = keyReader(
    table.schema,
    join.map((pair) => pair.local),
  );
  const byKey = Map.groupBy(foreign.records, foreignKey);
  return (record) => {
    const key = localKey(record);
    return key === undefined ? [] : (byKey.get(key) ?? []);
  };
}

/** The column at the end of `column` or `relation:column`, through to-one relations. */
export function columnAt(tables: Tables, table: MemoryTable, path: string): ColumnSchema {
  if (leadsToMany(tables, table, path)) throw unplanned(path);
  return conditionColumnAt(tables, table, path);
}

/** The column at the end of `column` or `relation:column`, through relations of any kind. */
export function conditionColumnAt(tables: Tables, table: MemoryTable, path: string): ColumnSchema {
  const steps = path.split(':');
  const owner = steps.slice(0, -1).reduce((current, step) => tableBehind(tables, current, step), table);
  const field = owner.schema.fields.get(steps.at(-1) ?? '');
  if (field?.kind !== 'column') throw unplanned(path);
  return field;
}

/** Whether the last relation of a path of relations is a to-many one. */
export function isToMany(tables: Tables, table: MemoryTable, relationPath: string): boolean {
  const steps = relationPath.split(':');
  const owner = steps.slice(0, -1).reduce((current, step) => tableBehind(tables, current, step), table);
  return isToManyRelation(relationNamed(owner, steps.at(-1) ?? ''));
}

function leadsToMany(tables: Tables, table: MemoryTable, path: string): boolean {
  const relations = path.split(':').slice(0, -1);
  return relations.some((_, index) => isToMany(tables, table, relations.slice(0, index + 1).join(':')));
}

function isToManyRelation({ kind }: RelationSchema): boolean {
  return kind === 'OneToMany' || kind === 'ManyToMany';
}

function tableBehind(tables: Tables, table: MemoryTable, step: string): MemoryTable {
  return tableNamed(tables, relationNamed(table, step).foreignCollection);
}

function relationNamed(table: MemoryTable, name: string): RelationSchema {
  const relation = table.schema.fields.get(name);
  if (!relation || relation.kind === 'column') throw unplanned(name);
  return relation;
}

export function tableNamed(tables: Tables, name: string): MemoryTable {
  const table = tables.get(name);
  if (!table) throw unplanned(name);
  return table;
}

/** The planner checks every path before it asks a data source. */
function unplanned(path: string): CloudError {
  return cloudError('INTERNAL_BUG', `The data source was asked for "${path}", which it does not have.`);
}
