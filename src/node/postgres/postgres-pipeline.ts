import type { SqlRow } from '#kernel/ports/sql-row';
import { interrupted, timedOut } from '../database/database-errors.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresConnectionPool } from './postgres-connection-pool.ts';
import type { QuickRead, ReadUnderWay } from './postgres-quick-read.ts';
import { hasLostName } from './postgres-retry.ts';
import type { KnownStatement } from './postgres-statements.ts';

/** A connection that quick reads share: none waits for the answers before it, and those of one turn go out together. */
export interface PostgresPipeline {
  /** Whether a statement that is sent now is likely to be answered soon. */
  hasRoomFor(statement: KnownStatement): boolean;
  send(read: QuickRead): void;
}

export interface PipelineOptions {
  /** How long one statement may run, in milliseconds; `0` means no limit. */
  readonly statementTimeoutMs: number;
  /** Called after each answer, when there may be room again. */
  onAnswer(): void;
  /** Called once, when every read is answered and nobody uses the connection any more. */
  onEnd(): void;
}

export type PipelineConnection = Pick<PostgresConnection, 'send' | 'cancel' | 'isUsable'>;
export type PipelinePool = Pick<PostgresConnectionPool, 'areAllInUse' | 'isWaitedFor' | 'isOpen'>;

const maxUnderWay = 16;
/** How long the reads under way may take together, by what is known of them: while a connection is free, and while none is. */
const maxQueueMs = { free: 5, inUse: 12 };
/** How many reads it carries, and for how long, while a request waits for a connection. */
const maxCarried = 100;
const maxTurnMs = 100;

/** Whether two executions are nearly always done in the time that a pipeline allows. */
export function isQuick({ rarelyAboveMs }: KnownStatement): boolean {
  return rarelyAboveMs !== undefined && rarelyAboveMs <= maxQueueMs.inUse / 2;
}

/** A pipeline on a connection that nobody else uses. It ends with the last answer, so at least one read must be sent. */
export function createPostgresPipeline(
  connection: PipelineConnection,
  pool: PipelinePool,
  { statementTimeoutMs, onAnswer, onEnd }: PipelineOptions,
): PostgresPipeline {
  const underWay: ReadUnderWay[] = [];
  let carried = 0;
  let headSince = 0;
  let isClosed = false;
  let isEnding = false;
  const beganAt = performance.now();
  const close = () => {
    isClosed = true;
  };
  const watch = watchPipeline({ underWay, headSince: () => headSince, close }, connection, pool, statementTimeoutMs);

  /** The driver may report a read that it refuses to send twice, and before the reads that are under way. */
  function answered(sent: ReadUnderWay, error: unknown, rows: readonly SqlRow[] | undefined): void {
    const place = underWay.indexOf(sent);
    if (place === -1) return;
    underWay.splice(place, 1);
    if (place === 0) {
      const now = performance.now();
      if (rows || sent.isCancelled) sent.read.statement.took(now - headSince);
      headSince = now;
    }
    if (!rows) close();
    if (rows || hasLostName(error)) sent.read.resolve(rows);
    else sent.read.reject(sent.isTimedOut ? timedOut(statementTimeoutMs, error) : error);
    onAnswer();
    if (underWay.length === 0 && !isEnding) void end();
  }

  async function end(): Promise<void> {
    isEnding = true;
    close();
    await watch.end();
    onEnd();
  }

  return {
    hasRoomFor(statement) {
      if (isClosed || !connection.isUsable() || underWay.length >= maxUnderWay) return false;
      const hadItsTurn = carried >= maxCarried || (carried > 0 && performance.now() - beganAt >= maxTurnMs);
      if (hadItsTurn && pool.isWaitedFor()) return false;
      if (underWay.length === 0) return true;
      const expectedMs = underWay.reduce((sum, { read }) => sum + typicalMsOf(read.statement), 0);
      const queueMs = Math.max(expectedMs, performance.now() - headSince) + typicalMsOf(statement);
      return queueMs <= (pool.areAllInUse() ? maxQueueMs.inUse : maxQueueMs.free);
    },
    send(read) {
      if (underWay.length === 0) headSince = performance.now();
      const sent = { read, isLeft: false, isTimedOut: false, isCancelled: false };
      underWay.push(sent);
      carried += 1;
      connection.send(read.statement, read.sql, read.parameters, (error, rows) => answered(sent, error, rows));
    },
  };
}

function typicalMsOf({ typicalMs = 0 }: KnownStatement): number {
  return typicalMs;
}

/** The pipeline that is watched. */
interface WatchedPipeline {
  /** The reads without an answer, in the order in which the database carries them out. */
  readonly underWay: readonly ReadUnderWay[];
  /** When the database began with the first of them, on the clock of `performance.now()`. */
  headSince(): number;
  /** Take no further reads. */
  close(): void;
}

interface PipelineWatch {
  /** Stop watching. Resolves when no cancellation is under way: it would hit the next statement of the connection. */
  end(): Promise<void>;
}

/** The first read is stuck when it has no answer at two looks in a row. */
const lookEveryMs = 100;

/** Answers callers who go away, and lets no stuck read hold up the reads behind it. */
function watchPipeline(
  { underWay, headSince, close }: WatchedPipeline,
  connection: Pick<PostgresConnection, 'cancel'>,
  pool: Pick<PostgresConnectionPool, 'isOpen'>,
  statementTimeoutMs: number,
): PipelineWatch {
  let lastHead: ReadUnderWay | undefined;
  let cancelling: Promise<unknown> | undefined;

  function look(): void {
    for (const sent of underWay) {
      if (!sent.read.signal?.aborted) continue;
      sent.isLeft = true;
      sent.read.reject(interrupted());
    }
    const [head] = underWay;
    // The process may have been busy: an answer that has arrived comes first.
    if (head && head === lastHead) setImmediate(() => head === underWay[0] && onStuck(head));
    lastHead = head;
  }

  function onStuck(head: ReadUnderWay): void {
    close();
    head.isTimedOut ||= statementTimeoutMs > 0 && performance.now() - headSince() >= statementTimeoutMs;
    const isToBeCancelled = head.isTimedOut || head.isLeft;
    // Once the data source is closed there is no other connection to go to. But a cancellation may hit the next read.
    if (pool.isOpen() || isToBeCancelled) {
      for (const sent of underWay.slice(1)) {
        sent.isLeft = true;
        sent.read.resolve(undefined);
      }
    }
    if (head.isCancelled || !isToBeCancelled) return;
    head.isCancelled = true;
    cancelling = Promise.all([cancelling, connection.cancel()]);
  }

  const everyMs = statementTimeoutMs > 0 ? Math.min(lookEveryMs, statementTimeoutMs / 2) : lookEveryMs;
  const interval = setInterval(look, everyMs);
  return {
    async end() {
      clearInterval(interval);
      await cancelling;
    },
  };
}
