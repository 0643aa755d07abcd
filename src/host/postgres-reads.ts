import type { PostgresValue } from '#kernel/ports/postgres-pool';
import type { SqlRow } from '#kernel/ports/sqlite-connection';
import { createPostgresLane, isQuick, type PostgresLane } from './postgres-lane.ts';
import type { PostgresLeases } from './postgres-leases.ts';
import type { KnownStatement, PostgresStatements } from './postgres-statements.ts';

/** Carries out one read on any connection. */
export type PostgresRead = (
  sql: string,
  parameters: readonly PostgresValue[],
  signal: AbortSignal | undefined,
) => Promise<readonly SqlRow[]>;

/**
 * Reads that are known to be quick share a connection as long as there are several at a time; each other one has a
 * connection to itself. To share costs less than to hand a connection to each, for the agent and for the database.
 */
export function createPostgresReads(leases: PostgresLeases, statements: PostgresStatements): PostgresRead {
  let latest: PostgresLane | undefined;
  const openLane = (statement: KnownStatement) =>
    latest?.hasRoomFor(statement) && leases.isOpen() ? latest : undefined;

  async function newLane(statement: KnownStatement, signal: AbortSignal | undefined): Promise<PostgresLane> {
    const lease = await leases.lease(signal);
    const open = openLane(statement);
    if (open) {
      lease.release();
      return open;
    }
    latest = createPostgresLane(lease, leases);
    return latest;
  }

  return async (sql, parameters, signal) => {
    const statement = statements.find(sql);
    if (statement && isQuick(statement)) {
      const lane = openLane(statement) ?? (await newLane(statement, signal));
      const rows = await lane.read(statement, sql, parameters, signal);
      if (rows) return rows;
    }
    const lease = await leases.lease(signal);
    try {
      return (await lease.execute(sql, parameters, { signal })).rows;
    } finally {
      lease.release();
    }
  };
}
