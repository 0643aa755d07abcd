import type { SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import {
  batchSize,
  columnList,
  conditionOf,
  quoted,
  type Row,
  type TableAccess,
  type TableShape,
  tableOrder,
} from './table-access.ts';

/** The tables of a store in a SQLite file. */
export function sqliteTables(connection: SqliteConnection): TableAccess {
  const withBytes = new Set<string>();
  const names = connection.all(
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
  );
  const references = new Map(names.map(({ name }) => [String(name), referencesOf(connection, String(name))]));
  const tables = tableOrder(references).map((name): TableShape => {
    const columns = connection.all('select name, type, pk from pragma_table_info(?) order by cid', [name]);
    if (columns.some(({ type }) => type === 'BLOB' || type === 'blob')) withBytes.add(name);
    const key = columns
      .filter(({ pk }) => Number(pk) > 0)
      .sort((one, other) => Number(one['pk']) - Number(other['pk']));
    return {
      name,
      columns: columns.map((column) => String(column['name'])),
      key: key.map((column) => String(column['name'])),
    };
  });
  return {
    tables,
    async *rows(table, only) {
      const { name, columns, key } = table;
      const { where, values } = conditionOf(only, () => '?');
      const sql = `select ${columnList(columns)} from ${quoted(name)}${where} order by ${columnList(key)}`;
      const size = batchSize(withBytes.has(name));
      let batch: Row[] = [];
      for (const row of connection.each(sql, values)) {
        batch.push(columns.map((column) => row[column] as SqlValue));
        if (batch.length < size) continue;
        yield batch;
        batch = [];
      }
      if (batch.length > 0) yield batch;
    },
    async insert({ name, columns }, rows) {
      const places = columns.map(() => '?').join(', ');
      const sql = `insert into ${quoted(name)} (${columnList(columns)}) values (${places})`;
      for (const row of rows) connection.run(sql, row);
    },
  };
}

function referencesOf(connection: SqliteConnection, table: string): ReadonlySet<string> {
  const rows = connection.all('select "table" as target from pragma_foreign_key_list(?)', [table]);
  return new Set(rows.map(({ target }) => String(target)));
}
