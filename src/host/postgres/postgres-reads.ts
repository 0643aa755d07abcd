import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { closed, interrupted } from '../database/database-errors.ts';
import { createPostgresLane, isQuick, type PostgresLane } from './postgres-lane.ts';
import type { Lease } from './postgres-lease.ts';
import type { PostgresLeases } from './postgres-leases.ts';
import type { QuickRead, Settle } from './postgres-quick-read.ts';
import type { PostgresStatements } from './postgres-statements.ts';

/** Carries out one read on any connection. */
export type PostgresRead = (
  sql: string,
  parameters: readonly SqlParameter[],
  signal: AbortSignal | undefined,
) => Promise<readonly SqlRow[]>;

/** A read that waits for a lane with room, or for a connection to begin one on. */
interface Waiting {
  readonly read: QuickRead;
  readonly settle: Settle;
  /** Ends its wait for a connection, where none was free. */
  readonly served: AbortController | undefined;
}

/** Said, because an abort without a reason makes an error with a stack. */
const wasServed = 'served';

/**
 * Reads that are known to be quick share a connection as long as there are several at a time; each other one has a
 * connection to itself. To share costs less than to hand a connection to each, for the agent and for the database.
 */
export function createPostgresReads(leases: PostgresLeases, statements: PostgresStatements): PostgresRead {
  const waiting: Waiting[] = [];
  let latest: PostgresLane | undefined;

  /** Those who wait are served in turn, before whoever comes now. */
  function serve(lane: PostgresLane): void {
    for (let next = firstWaiting(); next && lane.hasRoomFor(next.read.statement); next = firstWaiting()) {
      waiting.shift();
      next.served?.abort(wasServed);
      lane.send(next.read, next.settle);
    }
  }

  /** Of those whose callers are still there. */
  function firstWaiting(): Waiting | undefined {
    while (waiting[0]?.read.signal?.aborted) waiting.shift()?.settle.reject(interrupted());
    return waiting[0];
  }

  function begin(lease: Lease): void {
    if (latest) serve(latest);
    // A lane on which nothing is sent would never end.
    if (!firstWaiting() || !lease.isUsable()) {
      lease.release();
      return;
    }
    const lane: PostgresLane = createPostgresLane(lease, leases, () => serve(lane));
    latest = lane;
    serve(lane);
  }

  async function wait(read: QuickRead, settle: Settle): Promise<void> {
    const served = leases.areTaken() ? new AbortController() : undefined;
    const self = { read, settle, served };
    const signal =
      served && read.signal ? AbortSignal.any([read.signal, served.signal]) : (served?.signal ?? read.signal);
    waiting.push(self);
    try {
      // A connection may have gone to those before.
      while (waiting.includes(self)) begin(await leases.lease(signal));
    } catch (error) {
      const place = waiting.indexOf(self);
      if (place === -1) return;
      waiting.splice(place, 1);
      settle.reject(error);
    }
  }

  function together(read: QuickRead): Promise<readonly SqlRow[] | undefined> {
    return new Promise((resolve, reject) => {
      const settle = { resolve, reject };
      if (waiting.length === 0 && latest?.hasRoomFor(read.statement)) latest.send(read, settle);
      else void wait(read, settle);
    });
  }

  return async (sql, parameters, signal) => {
    if (!leases.isOpen()) throw closed();
    if (signal?.aborted) throw interrupted();
    const statement = statements.find(sql);
    if (statement && isQuick(statement)) {
      const rows = await together({ statement, sql, parameters, signal });
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
