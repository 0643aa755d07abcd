import { hash } from 'node:crypto';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import type { SqlRow } from '#kernel/ports/sql-row';
import { openPostgres } from '#node/postgres/open-postgres';
import type { ReplicaRules, ServerState, ServerWatch } from '../sql/replica.ts';

/**
 * What a server is and how far it is. The branch of a standby is that of the stream that it receives; where its user may not see that,
 * the one of its last checkpoint. `pg_current_wal_insert_lsn` is behind every commit, also behind one that does not wait for the disk.
 */
export const stateQuery = `
  select (select system_identifier from pg_catalog.pg_control_system()) || '/' || pg_catalog.current_database() as database,
    pg_catalog.pg_postmaster_start_time()::text as run,
    s.is::text as "isStandby",
    case when s.is
      then coalesce((select received_tli from pg_catalog.pg_stat_wal_receiver), (select timeline_id from pg_catalog.pg_control_checkpoint()))::text
      else ('x' || pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int::text
    end as branch,
    case when s.is then pg_catalog.pg_last_wal_replay_lsn() else pg_catalog.pg_current_wal_insert_lsn() end::text as position,
    pg_catalog.current_setting('wal_block_size') as "pageSize"
  from (select pg_catalog.pg_is_in_recovery() as is) s`;

const writtenQuery = `
  select pg_catalog.pg_current_wal_insert_lsn()::text as position, pg_catalog.current_setting('wal_block_size') as "pageSize"`;

/** How long the head of a page of the log is, and that of the first page of a file. */
const pageHeads = [24, 40];

/**
 * A position of the log, as `1/A30F8` says it, in a form that sorts. A primary that has just begun a page says where the head of the page
 * ends. A standby says where the page begins. No record is in between.
 */
function positionOf({ position, pageSize }: SqlRow): string | undefined {
  const [, high, low] = /^([0-9A-F]+)\/([0-9A-F]+)$/i.exec(String(position)) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const place = Number.parseInt(low, 16);
  const inPage = place % Number(pageSize);
  const begins = pageHeads.includes(inPage) ? place - inPage : place;
  return high.padStart(8, '0') + begins.toString(16).toUpperCase().padStart(8, '0');
}

export function stateOf(row: SqlRow): ServerState {
  return {
    // It travels to clients, which need not know the name.
    database: hash('sha256', String(row['database']), 'base64url').slice(0, 12),
    branch: String(row['branch']),
    run: String(row['run']),
    isStandby: row['isStandby'] === 'true',
    position: positionOf(row),
  };
}

/** The positions of one log, which is a single line. */
export const postgresRules: ReplicaRules = {
  hasReached: (position, wanted) => position >= wanted,
  join: (position, other) => (position >= other ? position : other),
  problemOf(state, primary) {
    if (state.database !== primary.database) return 'It has another database than the primary.';
    if (!state.isStandby) return 'It follows no primary: it was promoted, or is the primary itself.';
    return state.branch === primary.branch ? undefined : 'It follows another primary.';
  },
};

/** @param onConnected hears what the server is when a connection is opened. */
export function watchPostgres(parameters: PostgresParameters, onConnected?: (state: ServerState) => void): ServerWatch {
  const greeting = onConnected && { sql: stateQuery, onAnswer: (row: SqlRow) => onConnected(stateOf(row)) };
  const pool = openPostgres({ ...parameters, poolSize: 1, greeting });
  return {
    state: async () => stateOf((await pool.all(stateQuery))[0] ?? {}),
    async written() {
      const position = positionOf((await pool.all(writtenQuery))[0] ?? {});
      if (position === undefined) throw new TypeError('The primary did not say how far it is.');
      return position;
    },
    reconnect: pool.forgetStatements,
    openConnections: pool.openConnections,
    close: pool.close,
  };
}
