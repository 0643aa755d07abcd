import { isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { openCondition } from '../query/condition-template.ts';
import type { CallContext } from '../records/calls/call-context.ts';
import { fieldsOf } from '../records/read/plan-filter-and-order.ts';
import { type QueryShape, shapeInWords } from './query-shape.ts';

/** Shapes that are kept apart. Each takes about a kilobyte. */
const mostShapes = 500;
/** Paths of one collection that are remembered as used. */
const mostPaths = 2_000;

/** Upper ends of the buckets of durations. */
export const bucketsMs = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

/** How the calls of one shape went. */
export interface Measures {
  calls: number;
  failed: number;
  totalMs: number;
  slowestMs: number;
  read: number;
  shown: number;
  /** One more than there are buckets. */
  readonly histogram: Uint32Array;
}

export interface RecordedQuery extends Measures {
  /** Without values. */
  readonly shape: QueryShape;
}

/** All that was counted. Threads hand it to each other. */
export interface Counts {
  readonly since: number;
  /** By the words of the shape. */
  readonly queries: ReadonlyMap<string, RecordedQuery>;
  /** Shapes that were too many. */
  readonly other: Measures;
  /** Paths that requests have named, by collection. */
  readonly used: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A call that is measured. */
interface MeasuredCall<Result> {
  work(call: CallContext): Promise<Result>;
  /** Asked when the work is done; `undefined` where the call was refused before anything was read. */
  shape(): QueryShape | undefined;
  shown?(result: Result): number;
}

/**
 * Counts queries by shape, in bounded memory and without input or output. A request adds some numbers to the entry of its shape. What
 * was refused is not counted, because it may hold names that nobody has checked.
 */
export class QueryRecorder implements Counts {
  readonly since: number;
  /** By the words of the shape. */
  readonly queries = new Map<string, RecordedQuery>();
  /** Shapes that were too many. */
  readonly other = noMeasures();
  readonly used = new Map<string, Set<string>>();
  /** The shapes of plans whose fields are marked. */
  readonly #marked = new WeakSet<QueryShape>();

  constructor(clock: Clock) {
    this.since = clock.now();
  }

  async measure<Result>(context: CallContext, { work, shape, shown }: MeasuredCall<Result>): Promise<Result> {
    const tally = { read: 0 };
    const startedAt = performance.now();
    const note = (count: number, isFailed: boolean) => {
      const found = shape();
      if (found) this.#add(found, { ms: performance.now() - startedAt, read: tally.read, shown: count, isFailed });
    };
    try {
      const result = await work({ ...context, tally });
      note(shown?.(result) ?? 0, false);
      return result;
    } catch (error) {
      if (isTooCostly(error, context)) note(0, true);
      throw error;
    }
  }

  /** Remember that a request has named these fields of a collection. */
  markUsed(collection: string, paths: Iterable<string>): void {
    let used = this.used.get(collection);
    if (!used) {
      used = new Set();
      this.used.set(collection, used);
    }
    for (const path of paths) if (used.size < mostPaths) used.add(path);
  }

  /** The same without the recorder, so that it can be handed to another thread. */
  counts(): Counts {
    const { since, queries, other, used } = this;
    return { since, queries, other, used };
  }

  #add(shape: QueryShape, call: { ms: number; read: number; shown: number; isFailed: boolean }): void {
    this.#mark(shape);
    const measures = this.#measuresOf(shape);
    measures.calls += 1;
    if (call.isFailed) measures.failed += 1;
    measures.totalMs += call.ms;
    measures.slowestMs = Math.max(measures.slowestMs, call.ms);
    measures.read += call.read;
    measures.shown += call.shown;
    const bucket = bucketOf(call.ms);
    measures.histogram[bucket] = (measures.histogram[bucket] ?? 0) + 1;
  }

  #measuresOf(shape: QueryShape): Measures {
    const words = shape.words ?? shapeInWords(shape);
    const known = this.queries.get(words);
    if (known) return known;
    if (this.queries.size >= mostShapes) return this.other;
    const where = shape.where && openCondition(shape.where).template.tree;
    const recorded = { ...noMeasures(), shape: { ...shape, where, fields: undefined, words } };
    this.queries.set(words, recorded);
    return recorded;
  }

  #mark(shape: QueryShape): void {
    const { collection, fields = [], where, sort = [] } = shape;
    if (collection === undefined || this.#marked.has(shape)) return;
    if (shape.words !== undefined) this.#marked.add(shape);
    const conditions = where ? fieldsOf(where) : [];
    this.markUsed(collection, [...fields, ...conditions, ...sort.map(({ field }) => field)]);
  }
}

/** What several recorders have counted, as if it had been one. */
export function mergedCounts(all: readonly Counts[]): Counts {
  const queries = new Map<string, RecordedQuery>();
  const other = noMeasures();
  const used = new Map<string, Set<string>>();
  for (const counts of all) {
    addTo(other, counts.other);
    for (const [words, query] of counts.queries) {
      const known = queries.get(words) ?? { shape: query.shape, ...noMeasures() };
      addTo(known, query);
      queries.set(words, known);
    }
    for (const [collection, paths] of counts.used) {
      used.set(collection, new Set([...(used.get(collection) ?? []), ...paths]));
    }
  }
  return { since: Math.min(...all.map(({ since }) => since)), queries, other, used };
}

function addTo(sum: Measures, { calls, failed, totalMs, slowestMs, read, shown, histogram }: Measures): void {
  sum.calls += calls;
  sum.failed += failed;
  sum.totalMs += totalMs;
  sum.slowestMs = Math.max(sum.slowestMs, slowestMs);
  sum.read += read;
  sum.shown += shown;
  for (const [bucket, count] of histogram.entries()) sum.histogram[bucket] = (sum.histogram[bucket] ?? 0) + count;
}

function noMeasures(): Measures {
  const histogram = new Uint32Array(bucketsMs.length + 1);
  return { calls: 0, failed: 0, totalMs: 0, slowestMs: 0, read: 0, shown: 0, histogram };
}

function bucketOf(ms: number): number {
  const found = bucketsMs.findIndex((end) => ms <= end);
  return found === -1 ? bucketsMs.length : found;
}

/** Whether a call ended because it took too long or read too much. By then its names were checked. */
function isTooCostly(error: unknown, { signal }: CallContext): boolean {
  return signal?.aborted === true || (isCloudError(error) && error.code === 'REQUEST_TOO_COSTLY');
}

/** The end of the bucket in which a part of the calls is reached: at most the slowest of them. */
export function quantileMs({ calls, histogram, slowestMs }: Measures, part: number): number {
  let seen = 0;
  for (const [index, count] of histogram.entries()) {
    seen += count;
    if (seen >= calls * part) return Math.min(bucketsMs[index] ?? slowestMs, slowestMs);
  }
  return slowestMs;
}
