import { canonicalJson } from '#kernel/json/canonical-json';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { type FilledRow, genesis, rowColumns, rowsOfChain, valuesOf } from './fill-log.ts';

/** Fill the log of an environment in a store that no platform uses. Its indexes are made at the end, which is quicker. */
export async function fillSqlite(file: string, environmentId: number, projectId: number, count: number): Promise<void> {
  const connection = await openSqlite(file);
  try {
    // A crash loses the store, and the bench makes it again.
    connection.execute(
      'pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -400000; pragma threads = 2',
    );
    const indexes = connection.all(
      "select name, sql from sqlite_schema where type = 'index' and tbl_name in ('audit_rows', 'audit_records') and sql is not null",
    );
    // With an index goes what SQLite was told to assume of it.
    const statistics = connection.all('select tbl, idx, stat from sqlite_stat1');
    for (const { name } of indexes) connection.execute(`drop index ${String(name)}`);
    connection.execute('begin');
    insertChain(connection, environmentId, projectId, count);
    connection.execute('commit');
    for (const { sql } of indexes) connection.execute(String(sql));
    connection.execute('delete from sqlite_stat1');
    for (const { tbl, idx, stat } of statistics) {
      connection.run('insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)', [tbl, idx, stat] as string[]);
    }
    connection.execute('pragma journal_mode = wal');
  } finally {
    connection.close();
  }
}

function insertChain(connection: SqliteConnection, environmentId: number, projectId: number, count: number): void {
  const [chain] = connection.all(
    `insert into audit_chains (chain, kind, project_id, environment_id, genesis, first_sequence, head_sequence, head_hash, head_created_at, head_month)
     values (?, 'activity', ?, ?, ?, 1, 0, '', 0, 0) returning id`,
    [genesis.chain, projectId, environmentId, canonicalJson(genesis)],
  );
  const chainId = Number(chain?.['id']);
  const insertRow = `insert into audit_rows (${rowColumns.join(', ')}) values (${rowColumns.map(() => '?').join(', ')})`;
  const insertRecord = 'insert into audit_records (chain_id, record_id, sequence, collection) values (?, ?, ?, ?)';
  let last: FilledRow | undefined;
  for (const row of rowsOfChain(count)) {
    if (row.month !== last?.month) connection.run('insert or ignore into audit_months values (?)', [row.month]);
    connection.run(insertRow, valuesOf(chainId, row));
    for (const id of row.recordIds) connection.run(insertRecord, [chainId, id, row.sequence, row.collection]);
    last = row;
  }
  if (!last) throw new RangeError('A log needs rows.');
  connection.run(
    'update audit_chains set head_sequence = ?, head_hash = ?, head_created_at = ?, head_month = ? where id = ?',
    [last.sequence, last.hash, last.createdAt, last.month, chainId],
  );
}
