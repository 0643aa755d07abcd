import type { Insights, MeasuredQuery } from '#contracts/insights';
import type { CompiledModel } from '../model/compiled-model.ts';
import { wholeModel } from '../model/compiled-model.ts';
import type { CallContext } from '../records/calls/call-context.ts';
import { missingIndexes } from './missing-indexes.ts';
import type { GatherCounts } from './peer-counts.ts';
import { bucketsMs, quantileMs, type RecordedQuery } from './query-recorder.ts';
import { unusedParts } from './unused-parts.ts';

/** What the agent has noticed of its own work. */
export interface InsightsReader {
  /**
   * Reads what was counted, and asks databases for plans: a bounded number, nothing is written or built. No right is asked for.
   *
   * @param slowerThanMs From which duration on of one call in twenty a query is slow.
   */
  read(model: CompiledModel, slowerThanMs: number, context: CallContext): Promise<Insights>;
}

/** @param host What the host of the agent is called. */
export function createInsightsReader(gather: GatherCounts, host?: string): InsightsReader {
  return {
    async read(served, slowerThanMs, context) {
      const { counts, workers, answered, allSince } = await gather();
      const model = wholeModel(served);
      const isServed = ({ shape: { collection } }: RecordedQuery) =>
        collection === undefined || model.collections.has(collection);
      const recorded = [...counts.queries]
        .filter(([, query]) => isServed(query))
        .toSorted(([, one], [, other]) => other.totalMs - one.totalMs);
      const queries = recorded.map(([id, query]) => measuredQuery(id, query, slowerThanMs));
      const slow = recorded.filter((_, index) => queries[index]?.isSlow);
      return {
        ...(host === undefined ? {} : { host }),
        since: new Date(counts.since).toISOString(),
        calls: recorded.reduce((sum, [, { calls }]) => sum + calls, counts.other.calls),
        slowerThanMs,
        bucketsMs: [...bucketsMs],
        queries,
        otherCalls: counts.other.calls,
        workers: { count: workers, answered, allSince: new Date(allSince).toISOString() },
        ...(await missingIndexes(model, slow, context)),
        unused: unusedParts(model, counts),
      };
    },
  };
}

function measuredQuery(id: string, query: RecordedQuery, slowerThanMs: number): MeasuredQuery {
  const { shape, calls, failed, totalMs, slowestMs, histogram, read, shown } = query;
  const p95Ms = quantileMs(query, 0.95);
  return {
    id,
    kind: shape.kind,
    collection: shape.collection ?? null,
    name: shape.name ?? null,
    ...{ calls, failed, read, shown },
    ...{ totalMs: rounded(totalMs), slowestMs: rounded(slowestMs) },
    medianMs: rounded(quantileMs(query, 0.5)),
    p95Ms: rounded(p95Ms),
    histogram: [...histogram],
    isSlow: p95Ms > slowerThanMs,
    readsMuch: shape.kind !== 'action' && readsMuch(query),
  };
}

const muchRead = 200;
const manyTimes = 10;

/** Two hundred records a call at least, and ten for each one that was shown. */
function readsMuch({ calls, read, shown }: RecordedQuery): boolean {
  return read >= muchRead * calls && read >= manyTimes * Math.max(shown, calls);
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
