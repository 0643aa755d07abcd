import { availableParallelism } from 'node:os';
import type { ActStretch, ReadStretch, StretchLimits } from '#contracts/audit/act-stretch';
import { openThreadPool, type ThreadPool } from '#node/system/thread-pool';

/** Whole lines of a log, each with its end. */
export interface LogText<Place> {
  readonly text: string;
  /** Where to go on behind them. */
  readonly place: Place;
}

/** Lines without their ends. What could be verified of them without those before was verified. */
export interface ReadText<Place> {
  readonly lines: readonly (string | ReadStretch)[];
  /** Absent while more lines of the same text follow. */
  readonly place?: Place;
}

/** What a thread is given. */
export interface StretchTask {
  readonly text: string;
  readonly limits: StretchLimits;
}

type Pool = ThreadPool<StretchTask, readonly (string | ActStretch)[]>;

/** How many characters a thread is given at once: some thousand rows. */
const pieceLength = 1024 * 1024;

/**
 * The lines of a log in their order, verified by a thread for each processor. Short logs, and machines with one processor, need no threads.
 *
 * @param threads for tests.
 */
export async function* readInThreads<Place>(
  texts: AsyncIterable<LogText<Place>>,
  limits: StretchLimits,
  threads = availableParallelism(),
): AsyncGenerator<ReadText<Place>> {
  let pool: Pool | undefined;
  const underWay: Promise<ReadText<Place>>[] = [];
  let isFirst = true;
  try {
    for await (const { text, place } of texts) {
      for (const piece of piecesOf(text)) {
        const end = piece.isLast ? { place } : {};
        if (isFirst || threads < 2) yield { lines: piece.text.split('\n'), ...end };
        else {
          pool ??= openThreadPool('#platform/audit/stretch-worker');
          const read = readPiece(pool, { text: piece.text, limits }, end);
          // A failure counts when its turn comes.
          read.catch(() => undefined);
          underWay.push(read);
          const oldest = underWay.length > pool.depth ? underWay.shift() : undefined;
          if (oldest) yield await oldest;
        }
        isFirst = false;
      }
    }
    for (const piece of underWay) yield await piece;
  } finally {
    await pool?.close();
  }
}

async function readPiece<Place>(pool: Pool, task: StretchTask, end: { place?: Place }): Promise<ReadText<Place>> {
  const read = await pool.run(task);
  const lines = read.map((each) =>
    typeof each === 'string' ? each : { stretch: each, lines: () => task.text.slice(each.start, each.end).split('\n') },
  );
  return { lines, ...end };
}

/** A text in parts of whole lines. */
function* piecesOf(text: string): Generator<{ readonly text: string; readonly isLast: boolean }> {
  let start = 0;
  do {
    const line = text.indexOf('\n', start + pieceLength) + 1;
    const end = line === 0 ? text.length : line;
    yield { text: text.slice(start, end), isLast: end === text.length };
    start = end;
  } while (start < text.length);
}
