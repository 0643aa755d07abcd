import { CloudError } from '#kernel/errors/cloud-error';
import type { RecordData } from '../../query/record-query.ts';
import type { ColumnSchema, JoinPairs, RelationSchema } from '../collection-schema.ts';
import { keyReader, type MemoryTable } from './memory-table.ts';

/** The relations that paths go through, as a tree. */
interface RelationNode {
  readonly relations: Map<string, RelationNode>;
}

type Tables = ReadonlyMap<string, MemoryTable>;
type JoinRecord = (record: RecordData) => RecordData;

/**
 * The records with the relations that `paths` go through nested in them: `null` where a to-one relation has no partner, a
 * list for a to-many one.
 */
export function joinRecords(tables: Tables, table: MemoryTable, paths: Iterable<string>): readonly RecordData[] {
  const root: RelationNode = { relations: new Map() };
  for (const path of paths) {
    let node = root;
    for (const step of path.split(':').slice(0, -1)) {
      const next = node.relations.get(step) ?? { relations: new Map() };
      node.relations.set(step, next);
      node = next;
    }
  }
  const join = joiner(tables, table, root);
  return table.records.map(join);
}

function joiner(tables: Tables, table: MemoryTable, node: RelationNode): JoinRecord {
  const partners = [...node.relations].map(([name, child]) => {
    const relation = relationNamed(table, name);
    const related = relatedOf(tables, table, relation);
    const join = onceEach(joiner(tables, tableNamed(tables, relation.foreignCollection), child));
    const isToMany = isToManyRelation(relation);
    return (record: RecordData): readonly [string, unknown] => {
      const found = related(record).map(join);
      return [name, isToMany ? found : (found[0] ?? null)];
    };
  });
  if (partners.length === 0) return (record) => record;
  return (record) => ({ ...record, ...Object.fromEntries(partners.map((partnersOf) => partnersOf(record))) });
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
  return new CloudError({
    code: 'INTERNAL_BUG',
    message: `The data source was asked for "${path}", which it does not have.`,
  });
}
