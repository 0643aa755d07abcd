import type { SqlRow } from '#kernel/ports/sql-row';
import { timedOut } from '../database/database-errors.ts';
import { watchLane } from './postgres-lane-watch.ts';
import type { Lease } from './postgres-lease.ts';
import type { PostgresLeases } from './postgres-leases.ts';
import type { QuickRead, ReadUnderWay, Settle } from './postgres-quick-read.ts';
import { hasLostName } from './postgres-retry.ts';
import type { KnownStatement } from './postgres-statements.ts';

/** A connection that quick reads share: each is sent at once, and carried out when those before it are done. */
export interface PostgresLane {
  /** Whether a statement sent now is likely to be answered soon. */
  hasRoomFor(statement: KnownStatement): boolean;
  send(read: QuickRead, settle: Settle): void;
}

type LaneLease = Pick<Lease, 'send' | 'cancel' | 'isUsable' | 'release'>;
type LaneLeases = Pick<PostgresLeases, 'statementTimeoutMs' | 'areTaken' | 'isWaitedFor' | 'isOpen'>;

const maxUnderWay = 16;
/** How long those under way may take by what is known of them, while a connection is free and while none is. */
const maxQueueMs = { free: 5, taken: 20 };
/** How many reads it carries, and for how long, while somebody waits for a connection. */
const maxCarried = 100;
const maxTurnMs = 100;

/** Whether two executions are done in the time that a lane allows. */
export function isQuick({ typicalMs }: KnownStatement): boolean {
  return typicalMs !== undefined && typicalMs <= maxQueueMs.taken / 2;
}

/**
 * Keeps the lease until everything is answered that was sent on it; at least one read must be.
 *
 * @param onAnswer called after each answer, when there may be room again.
 */
export function createPostgresLane(lease: LaneLease, leases: LaneLeases, onAnswer: () => void): PostgresLane {
  const underWay: ReadUnderWay[] = [];
  let carried = 0;
  let headSince = 0;
  let isClosed = false;
  let isEnding = false;
  const beganAt = performance.now();
  const close = () => {
    isClosed = true;
  };
  const watch = watchLane({ underWay, headSince: () => headSince, close }, lease, leases);

  /** The driver may report what it refuses to send twice, and before those that are under way. */
  function answered(shared: ReadUnderWay, error: unknown, rows: readonly SqlRow[] | undefined): void {
    const place = underWay.indexOf(shared);
    if (place === -1) return;
    underWay.splice(place, 1);
    if (place === 0) {
      const now = performance.now();
      if (rows || shared.isCancelled) shared.read.statement.took(now - headSince);
      headSince = now;
    }
    if (!rows) close();
    if (rows || hasLostName(error)) shared.settle.resolve(rows);
    else shared.settle.reject(shared.isTimedOut ? timedOut(leases.statementTimeoutMs, error) : error);
    onAnswer();
    if (underWay.length === 0 && !isEnding) void end();
  }

  async function end(): Promise<void> {
    isEnding = true;
    close();
    await watch.end();
    lease.release();
  }

  return {
    hasRoomFor(statement) {
      if (isClosed || !lease.isUsable() || underWay.length >= maxUnderWay) return false;
      const hadItsTurn = carried >= maxCarried || (carried > 0 && performance.now() - beganAt >= maxTurnMs);
      if (hadItsTurn && leases.isWaitedFor()) return false;
      if (underWay.length === 0) return true;
      const expectedMs = underWay.reduce((sum, { read }) => sum + typicalMsOf(read.statement), 0);
      const queueMs = Math.max(expectedMs, performance.now() - headSince) + typicalMsOf(statement);
      return queueMs <= (leases.areTaken() ? maxQueueMs.taken : maxQueueMs.free);
    },
    send(read, settle) {
      const { statement, sql, parameters } = read;
      if (underWay.length === 0) headSince = performance.now();
      const shared = { read, settle, isLeft: false, isTimedOut: false, isCancelled: false };
      underWay.push(shared);
      carried += 1;
      lease.send(statement, sql, parameters, (error, rows) => answered(shared, error, rows));
    },
  };
}

function typicalMsOf({ typicalMs = 0 }: KnownStatement): number {
  return typicalMs;
}
