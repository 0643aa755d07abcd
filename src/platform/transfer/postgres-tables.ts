import type { PostgresSession } from '#kernel/ports/postgres-pool';
import type { SqlValue } from '#kernel/ports/sql-row';
import {
  batchSize,
  columnList,
  conditionOf,
  quoted,
  type TableAccess,
  type TableShape,
  tableOrder,
} from './table-access.ts';

/** Marks a schema as a store; it says the version, and belongs to no service. */
const versionTable = 'store_version';

/** The tables of a store in a schema of PostgreSQL. */
export async function postgresTables(session: PostgresSession, schema: string): Promise<TableAccess> {
  const columns = await session.all(columnsSql, [schema]);
  const names = [...new Set(columns.map((row) => String(row['table'])))].filter((name) => name !== versionTable);
  const references = new Map(names.map((name) => [name, new Set<string>()]));
  for (const row of await session.all(referencesSql, [schema])) {
    references.get(String(row['table']))?.add(String(row['target']));
  }
  const of = (name: string) => columns.filter((row) => row['table'] === name);
  const withBytes = new Set(columns.filter(({ type }) => type === 'bytea').map((row) => row['table']));
  const tables = tableOrder(references).map((name): TableShape => {
    const key = of(name)
      .filter((row) => row['place'] !== null)
      .sort((one, other) => Number(one['place']) - Number(other['place']));
    return {
      name,
      columns: of(name).map((row) => String(row['column'])),
      key: key.map((row) => String(row['column'])),
    };
  });
  const place = (name: string) => `${quoted(schema)}.${quoted(name)}`;
  return {
    tables,
    async *rows({ name, columns: own, key }, only) {
      const { where, values } = conditionOf(only, (index) => `$${index + 1}`);
      const sorted = `select ${columnList(own)} from ${place(name)}${where} order by ${columnList(key)}`;
      await session.run(`declare transfer no scroll cursor for ${sorted}`, values);
      const size = batchSize(withBytes.has(name));
      for (;;) {
        const rows = await session.all(`fetch ${size} from transfer`);
        if (rows.length > 0) yield rows.map((row) => own.map((column) => row[column] as SqlValue));
        if (rows.length < size) break;
      }
      await session.run('close transfer');
    },
    async insert({ name, columns: own }, rows) {
      const places = rows.map(
        (_row, index) => `(${own.map((_column, at) => `$${index * own.length + at + 1}`).join(', ')})`,
      );
      await session.run(`insert into ${place(name)} (${columnList(own)}) values ${places.join(', ')}`, rows.flat());
    },
  };
}

/** Make each number that the database gives to new rows go on behind the highest one. */
export async function setSequences(session: PostgresSession, schema: string): Promise<void> {
  for (const row of await session.all(identitiesSql, [schema])) {
    const table = `${quoted(schema)}.${quoted(String(row['table']))}`;
    const column = String(row['column']);
    await session.all(
      `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${quoted(column)}), 0) + 1, false) from ${table}`,
      [table, column],
    );
  }
}

const columnsSql = `
  select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as "type",
    array_position(i.indkey::int2[], a.attnum) as "place"
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
  where n.nspname = $1 and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

const referencesSql = `
  select c.relname as "table", t.relname as "target"
  from pg_catalog.pg_constraint f
  join pg_catalog.pg_class c on c.oid = f.conrelid
  join pg_catalog.pg_class t on t.oid = f.confrelid
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and f.contype = 'f'`;

const identitiesSql = `
  select c.relname as "table", a.attname as "column"
  from pg_catalog.pg_attribute a
  join pg_catalog.pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and a.attidentity <> ''`;
