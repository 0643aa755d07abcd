import { sql } from 'kysely';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import { propertyName } from '#kernel/text/property-name';
import type { RecordData } from '../../query/record-query.ts';
import type { JoinPlan } from './join-plan.ts';
import type { Sql, SqlDialect } from './sql-dialect.ts';

interface RecordNode {
  readonly columns: { readonly name: string; readonly alias: string; readonly decode: (stored: SqlValue) => unknown }[];
  readonly relations: Map<string, { readonly marker: string; readonly node: RecordNode }>;
}

export interface RowReader {
  /** The selection, with the aliases that `read` looks for. */
  readonly selection: Sql;
  read(row: SqlRow): RecordData;
}

/** Plan how the flat rows of a projection become nested records, an absent relation `null`. */
export function createRowReader(projection: readonly string[], joins: JoinPlan, dialect: SqlDialect): RowReader {
  const root: RecordNode = { columns: [], relations: new Map() };
  const selected: Sql[] = [];
  const select = (reference: Sql, prefix: string): string => {
    const alias = propertyName(`${prefix}${selected.length}`);
    selected.push(sql`${reference} as ${sql.id(alias)}`);
    return alias;
  };
  const nodeAt = (path: string): RecordNode => {
    if (path === '') return root;
    const split = path.lastIndexOf(':');
    const parent = nodeAt(split === -1 ? '' : path.slice(0, split));
    const name = propertyName(path.slice(split + 1));
    const known = parent.relations.get(name);
    if (known) return known.node;
    const node: RecordNode = { columns: [], relations: new Map() };
    parent.relations.set(name, { marker: select(joins.markerOf(path), 'm'), node });
    return node;
  };
  for (const path of new Set(projection)) {
    const split = path.lastIndexOf(':');
    const node = nodeAt(split === -1 ? '' : path.slice(0, split));
    const { column, reference } = joins.columnAt(path);
    node.columns.push({
      name: propertyName(column.name),
      alias: select(dialect.selection?.(column, reference) ?? reference, 'c'),
      decode: dialect.decoderOf(column),
    });
  }
  return { selection: selected.length > 0 ? sql.join(selected) : sql`1`, read: readerOf(root) };
}

/** Made here, it holds on to nothing that the statement was made of: it is kept as long as the statement. */
function readerOf(root: RecordNode): RowReader['read'] {
  return (row) => readNode(root, row);
}

function readNode(node: RecordNode, row: SqlRow): RecordData {
  const record: Record<string, unknown> = {};
  for (const column of node.columns) {
    const stored = row[column.alias] ?? null;
    setField(record, column.name, stored === null ? null : column.decode(stored));
  }
  for (const [name, relation] of node.relations) {
    const isAbsent = (row[relation.marker] ?? null) === null;
    setField(record, name, isAbsent ? null : readNode(relation.node, row));
  }
  return record;
}

/** Assignment to `__proto__` would set the prototype; a column may be called so. */
function setField(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
  else record[name] = value;
}
