import type { PostgresValue } from '#kernel/ports/postgres-pool';
import type { SqlRow } from '#kernel/ports/sqlite-connection';
import { interrupted, timedOut } from './database-errors.ts';
import type { Lease } from './postgres-lease.ts';
import type { PostgresLeases } from './postgres-leases.ts';
import type { KnownStatement } from './postgres-statements.ts';

/** A connection that quick reads share: each is sent at once, and carried out when those before it are done. */
export interface PostgresLane {
  /** Whether a statement sent now is likely to be answered soon. */
  hasRoomFor(statement: KnownStatement): boolean;
  /**
   * The rows; `undefined` when the statement failed, or stands behind one that takes unexpectedly long, and has to be
   * carried out on a connection of its own. Throws `INTERRUPTED` and `DATABASE_TIMEOUT`.
   */
  read(
    statement: KnownStatement,
    sql: string,
    parameters: readonly PostgresValue[],
    signal: AbortSignal | undefined,
  ): Promise<readonly SqlRow[] | undefined>;
}

type LaneLease = Pick<Lease, 'send' | 'cancel' | 'isUsable' | 'release'>;
type LaneLeases = Pick<PostgresLeases, 'statementTimeoutMs' | 'areTaken' | 'isWaitedFor'>;

/** A statement under way. */
interface Shared {
  readonly statement: KnownStatement;
  readonly expectedMs: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (rows: readonly SqlRow[] | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const maxUnderWay = 16;
/** How long those under way may take by what is known of them, while a connection is free and while none is. */
const maxQueueMs = { free: 5, taken: 20 };
/** How many statements it carries while somebody waits for a connection. */
const maxCarried = 100;
/** What is not answered between two looks is stuck. */
const lookEveryMs = 100;

/** Whether two of them take no longer than a lane allows. */
export function isQuick({ typicalMs }: KnownStatement): boolean {
  return typicalMs !== undefined && typicalMs <= maxQueueMs.taken / 2;
}

/** Keeps the lease until everything is answered that was sent on it; at least one statement must be. */
export function createPostgresLane(lease: LaneLease, leases: LaneLeases): PostgresLane {
  const underWay: Shared[] = [];
  let carried = 0;
  let expectedMs = 0;
  /** Since when the first under way is carried out. */
  let headSince = 0;
  let lastHead: Shared | undefined;
  let isClosed = false;
  let cancelling: Promise<void> | undefined;
  let watch: NodeJS.Timeout | undefined;

  /** Called by the driver; it may report what it refuses to send twice, and before those that are under way. */
  function answered(shared: Shared, rows: readonly SqlRow[] | undefined): void {
    const place = underWay.indexOf(shared);
    if (place === -1) return;
    underWay.splice(place, 1);
    expectedMs -= shared.expectedMs;
    if (place === 0) {
      const now = performance.now();
      shared.statement.took(now - headSince);
      headSince = now;
    }
    if (rows === undefined) isClosed = true;
    shared.resolve(rows);
    if (underWay.length === 0) void end();
  }

  async function end(): Promise<void> {
    isClosed = true;
    clearInterval(watch);
    // A cancellation still under way would hit the next statement.
    await cancelling;
    lease.release();
  }

  /** The callers of a statement may have gone, and one that is stuck must hold up no other. */
  function look(): void {
    for (const { signal, reject } of underWay) if (signal?.aborted) reject(interrupted());
    const [head, ...behind] = underWay;
    // Seen once only, it may have been answered while the process was busy.
    const isStuck = head !== undefined && head === lastHead;
    lastHead = head;
    if (!isStuck) return;
    isClosed = true;
    for (const shared of behind) shared.resolve(undefined);
    const { statementTimeoutMs } = leases;
    const isTimedOut = statementTimeoutMs > 0 && performance.now() - headSince >= statementTimeoutMs;
    if (isTimedOut) head.reject(timedOut(statementTimeoutMs));
    if (isTimedOut || head.signal?.aborted) cancelling ??= lease.cancel();
  }

  return {
    hasRoomFor({ typicalMs = 0 }) {
      if (isClosed || !lease.isUsable() || underWay.length >= maxUnderWay) return false;
      if (underWay.length === 0) return true;
      const queueMs = Math.max(expectedMs, performance.now() - headSince) + typicalMs;
      if (queueMs > (leases.areTaken() ? maxQueueMs.taken : maxQueueMs.free)) return false;
      return carried < maxCarried || !leases.isWaitedFor();
    },
    read(statement, sql, parameters, signal) {
      return new Promise((resolve, reject) => {
        const { typicalMs = 0 } = statement;
        if (underWay.length === 0) headSince = performance.now();
        watch ??= setInterval(look, lookEveryMs);
        const shared = { statement, expectedMs: typicalMs, signal, resolve, reject };
        underWay.push(shared);
        expectedMs += typicalMs;
        carried += 1;
        lease.send(statement, sql, parameters, (rows) => answered(shared, rows));
      });
    },
  };
}
