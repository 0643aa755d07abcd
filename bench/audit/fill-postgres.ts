import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { PostgresSession } from '#kernel/ports/postgres-pool';
import { resolveSqlConnection } from '#node/database/sql-connection-params';
import { openPostgres } from '#node/postgres/open-postgres';
import { postgresPlaceOf } from '#platform/store/open-postgres-store';
import { type FilledRow, genesis, rowColumns, rowsOfChain, valuesOf } from './fill-log.ts';

const rowsPerFile = 20_000;
const recordColumns = ['chain_id', 'record_id', 'sequence', 'collection'];

/** The same on PostgreSQL, on this machine: it copies files, each while the next one is written. Its indexes are made at the end. */
export async function fillPostgres(
  uri: string,
  environmentId: number,
  projectId: number,
  count: number,
): Promise<void> {
  const connection = resolveSqlConnection(uri);
  if (connection.dialect !== 'postgres') throw new TypeError('The store is not on PostgreSQL.');
  const { schema, parameters } = postgresPlaceOf(connection);
  const pool = openPostgres({ ...parameters, poolSize: 1, statementTimeoutMs: 0 });
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-fill-'));
  try {
    // The server has a user of its own.
    await chmod(folder, 0o755);
    await pool.transaction(async (session) => {
      await session.run(`set local search_path to ${schema}`);
      await session.run("set local maintenance_work_mem = '512MB'");
      const indexes = await session.all(
        `select indexname as name, indexdef as definition from pg_indexes
         where schemaname = $1 and tablename in ('audit_rows', 'audit_records') and indexname not like '%_pkey'`,
        [schema],
      );
      for (const { name } of indexes) await session.run(`drop index ${schema}.${String(name)}`);
      const [chain] = await session.all(
        `insert into audit_chains (chain, kind, project_id, environment_id, genesis, first_sequence, head_sequence, head_hash, head_created_at, head_month)
         values ($1, 'activity', $2, $3, $4, 1, 0, '', 0, 0) returning id`,
        [genesis.chain, projectId, environmentId, canonicalJson(genesis)],
      );
      const chainId = Number(chain?.['id']);
      const last = await copyRows(session, folder, chainId, count);
      await session.run(
        'update audit_chains set head_sequence = $1, head_hash = $2, head_created_at = $3, head_month = $4 where id = $5',
        [last.sequence, last.hash, last.createdAt, last.month, chainId],
      );
      // The definition of an index of a divided table leaves out its parts.
      for (const { definition } of indexes) await session.run(String(definition).replace(' ON ONLY ', ' ON '));
    });
  } finally {
    await pool.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function copyRows(session: PostgresSession, folder: string, chainId: number, count: number): Promise<FilledRow> {
  let copying = Promise.resolve();
  let [rows, records] = ['', ''];
  let files = 0;
  let last: FilledRow | undefined;
  const flush = async () => {
    const own = path.join(folder, String(files++ % 2));
    await Promise.all([writeFile(`${own}-rows`, rows), writeFile(`${own}-records`, records)]);
    await copying;
    copying = (async () => {
      await session.run(`copy audit_rows (${rowColumns.join(', ')}) from '${own}-rows'`);
      await session.run(`copy audit_records (${recordColumns.join(', ')}) from '${own}-records'`);
    })();
    [rows, records] = ['', ''];
  };
  for (const row of rowsOfChain(count)) {
    if (row.month !== last?.month) {
      await copying;
      await session.run('insert into audit_months values ($1)', [row.month]);
    }
    rows += lineOf(valuesOf(chainId, row));
    for (const id of row.recordIds) records += lineOf([chainId, id, row.sequence, row.collection]);
    last = row;
    if (row.sequence % rowsPerFile === 0) await flush();
  }
  await flush();
  await copying;
  if (!last) throw new RangeError('A log needs rows.');
  return last;
}

/** A line of the text format of `copy`. No value has a tab or a line's end: JSON escapes them. */
function lineOf(values: readonly (string | number | null | undefined)[]): string {
  return `${values.map((value) => ((value ?? null) === null ? '\\N' : String(value).replaceAll('\\', '\\\\'))).join('\t')}\n`;
}
