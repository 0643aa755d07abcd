import type { SqliteConnection } from '#kernel/ports/sqlite-connection';

/**
 * About one in this many rows asks whether to go on: often enough to stop within a millisecond, seldom enough to cost little.
 */
const rowsBetweenQuestions = 1021;
const guardFunction = 'scan_goes_on';

/**
 * Make every scan of the connection ask `assertGoesOn` now and then; what that throws ends the statement. The driver has
 * nothing to interrupt a statement. But names are looked up among temporary views first, and SQLite merges such a view into the
 * statement. Its condition becomes the first one of the scan, and its plan stays what it was.
 */
export function guardScans(connection: SqliteConnection, assertGoesOn: () => void): void {
  connection.defineFunction(
    guardFunction,
    () => {
      assertGoesOn();
      return 1;
    },
    { isVolatile: true },
  );
  defineGuardViews(connection);
}

/** Again after a change of the schema: tables have come and gone. */
export function defineGuardViews(connection: SqliteConnection): void {
  for (const { name } of connection.all("select name from sqlite_temp_schema where type = 'view'")) {
    connection.execute(`drop view temp.${quoted(String(name))}`);
  }
  for (const { name, wr } of connection.all(
    "select name, wr from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'",
  )) {
    const table = quoted(String(name));
    const guard = guardOf(columnsOf(connection, String(name)), wr === 1);
    connection.execute(`create temp view ${table} as select * from main.${table} where ${guard}`);
  }
  // A view of the database looks its tables up in the database; a copy of it meets the guarded ones.
  for (const { sql } of connection.all("select sql from sqlite_schema where type = 'view'")) {
    connection.execute(String(sql).replace(/^create\s+view/i, 'create temp view'));
  }
}

interface GuardedColumns {
  readonly names: ReadonlySet<string>;
  readonly firstOfKey: string | undefined;
}

function columnsOf(connection: SqliteConnection, table: string): GuardedColumns {
  const columns = connection.all('select name, pk from pragma_table_xinfo(?)', [table]);
  const key = columns.find(({ pk }) => pk === 1)?.['name'];
  return {
    names: new Set(columns.map(({ name }) => String(name).toLowerCase())),
    firstOfKey: key === undefined ? undefined : String(key),
  };
}

function guardOf({ names, firstOfKey }: GuardedColumns, isWithoutRowid: boolean): string {
  const rowid = isWithoutRowid ? undefined : ['rowid', '_rowid_', 'oid'].find((name) => !names.has(name));
  // A prime: keys that grow in steps, of 1024 for instance, meet it all the same.
  if (rowid !== undefined) return `${rowid} % ${rowsBetweenQuestions} <> 0 or ${question(rowid)}`;
  return `random() % ${rowsBetweenQuestions} <> 0 or ${question(firstOfKey === undefined ? '' : quoted(firstOfKey))}`;
}

/**
 * It refers to the row: a question that does not would be asked once, outside of the loop. In a thread that is being ended
 * no function of ours runs any more and SQLite takes null for its answer; this expression turns null into an overflow.
 */
function question(reference: string): string {
  return `abs(coalesce(${guardFunction}(${reference}), -9223372036854775808))`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
