import { canonicalJson } from '#kernel/json/canonical-json';
import { resolveSqlConnection } from '#node/database/sql-connection-params';
import { openPostgres } from '#node/postgres/open-postgres';
import { postgresPlaceOf } from '#platform/store/open-postgres-store';
import { type FilledRow, genesis, rowColumns, rowsOfChain, valuesOf } from './fill-log.ts';

const rowsPerStatement = 5_000;
const types = [
  ...['bigint', 'bigint', 'bigint', 'text', 'text', 'bigint', 'bigint', 'text', 'text', 'text', 'bigint'],
  ...['text', 'text', 'text', 'text', 'text', 'text', 'text', 'bigint', 'text'],
];

/** The same on PostgreSQL. */
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
  try {
    await pool.transaction(async (session) => {
      await session.run(`set local search_path to ${schema}`);
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
      const unnest = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
      const insert = `insert into audit_rows (${rowColumns.join(', ')}) select * from unnest(${unnest})`;
      let batch: FilledRow[] = [];
      let last: FilledRow | undefined;
      const flush = async () => {
        const values = batch.map((row) => valuesOf(chainId, row));
        await session.run(
          insert,
          types.map((_, index) => values.map((row) => row[index] ?? null)),
        );
        const records = batch.flatMap((row) => row.recordIds.map((id) => [id, row.sequence, row.collection] as const));
        await session.run(
          `insert into audit_records (chain_id, record_id, sequence, collection)
           select ${chainId}, * from unnest($1::text[], $2::bigint[], $3::text[])`,
          [0, 1, 2].map((index) => records.map((record) => record[index] ?? null)),
        );
        batch = [];
      };
      for (const row of rowsOfChain(count)) {
        if (row.month !== last?.month) await session.run('insert into audit_months values ($1)', [row.month]);
        batch.push(row);
        last = row;
        if (batch.length === rowsPerStatement) await flush();
      }
      if (batch.length > 0) await flush();
      await session.run(
        'update audit_chains set head_sequence = $1, head_hash = $2, head_created_at = $3, head_month = $4 where id = $5',
        [last?.sequence ?? 0, last?.hash ?? '', last?.createdAt ?? 0, last?.month ?? 0, chainId],
      );
      // The definition of an index of a divided table leaves out its parts.
      for (const { definition } of indexes) await session.run(String(definition).replace(' ON ONLY ', ' ON '));
    });
  } finally {
    await pool.close();
  }
}
