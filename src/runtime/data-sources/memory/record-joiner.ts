import { CloudError } from '#kernel/errors/cloud-error';
import type { RecordData } from '../../query/record-query.ts';
import type { ColumnSchema } from '../collection-schema.ts';
import { keyReader, type MemoryTable } from './memory-table.ts';

/** The relations that paths go through, as a tree. */
interface RelationNode {
  readonly relations: Map<string, RelationNode>;
}

/** The records with the relations that `paths` go through nested in them, `null` where there is no partner. */
export function joinRecords(
  tables: ReadonlyMap<string, MemoryTable>,
  table: MemoryTable,
  paths: Iterable<string>,
): readonly RecordData[] {
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

function joiner(
  tables: ReadonlyMap<string, MemoryTable>,
  table: MemoryTable,
  node: RelationNode,
): (record: RecordData) => RecordData {
  const partners = [...node.relations].map(([name, child]) => {
    const relation = table.schema.fields.get(name);
    if (relation?.kind !== 'ManyToOne' && relation?.kind !== 'OneToOne') throw unplanned(name);
    const foreign = tableNamed(tables, relation.foreignCollection);
    const foreignKey = keyReader(
      foreign.schema,
      relation.join.map((pair) => pair.foreign),
    );
    const byKey = new Map(foreign.records.map((record) => [foreignKey(record), record]));
    const localKey = keyReader(
      table.schema,
      relation.join.map((pair) => pair.local),
    );
    const join = joiner(tables, foreign, child);
    return (record: RecordData): readonly [string, RecordData | null] => {
      const key = localKey(record);
      const partner = key === undefined ? undefined : byKey.get(key);
      return [name, partner ? join(partner) : null];
    };
  });
  if (partners.length === 0) return (record) => record;
  return (record) => ({ ...record, ...Object.fromEntries(partners.map((partnerOf) => partnerOf(record))) });
}

/** The column at the end of `column` or `relation:column`. */
export function columnAt(tables: ReadonlyMap<string, MemoryTable>, table: MemoryTable, path: string): ColumnSchema {
  const [step = '', ...rest] = path.split(':');
  const field = table.schema.fields.get(step);
  if (field?.kind === 'column' && rest.length === 0) return field;
  if (!field || field.kind === 'column' || rest.length === 0) throw unplanned(path);
  return columnAt(tables, tableNamed(tables, field.foreignCollection), rest.join(':'));
}

export function tableNamed(tables: ReadonlyMap<string, MemoryTable>, name: string): MemoryTable {
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
