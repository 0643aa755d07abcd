import { cloudError } from '#kernel/errors/cloud-error';

/** All times are milliseconds. */
export interface BenchmarkResult {
  /** Measured runs. */
  readonly times: number;
  /** Of each run, in the order in which the runs began. */
  readonly durations: readonly number[];
  /** From the first measured run to the end of the last; less than the sum of `durations` where several run at once. */
  readonly elapsed: number;
  /** Sum of `durations`. */
  readonly total: number;
  readonly average: number;
  readonly min: number;
  readonly max: number;
  /** This many percent of the runs took at most this long. */
  readonly percentiles: { readonly p50: number; readonly p90: number; readonly p95: number; readonly p99: number };
  /** Measured runs in one second. */
  readonly perSecond: number;
}

/** Measures how long something takes. Every method gives a new benchmark with the setting, but `run`. */
export interface Benchmark {
  /** Measured runs, at least 1. Default 10. */
  times(count: number): Benchmark;
  /** Runs before those, which are not measured. Default 0. */
  warmUp(count: number): Benchmark;
  /** Runs at the same time, at least 1. Default 1. */
  concurrency(count: number): Benchmark;
  /** Rejects with what a run rejects with; runs that have begun end first, and no other begins. */
  run(measured: () => Promise<unknown>): Promise<BenchmarkResult>;
}

interface Settings {
  readonly times: number;
  readonly warmUp: number;
  readonly concurrency: number;
}

export function createBenchmark(settings: Settings = { times: 10, warmUp: 0, concurrency: 1 }): Benchmark {
  const change = (name: keyof Settings, value: number, least: number) => {
    if (Number.isInteger(value) && value >= least) return createBenchmark({ ...settings, [name]: value });
    throw cloudError(
      'TEST_OPTION_INVALID',
      `"${name}" of a benchmark must be a whole number of at least ${least}; it is ${value}.`,
      'Correct the number.',
    );
  };
  return {
    times: (count) => change('times', count, 1),
    warmUp: (count) => change('warmUp', count, 0),
    concurrency: (count) => change('concurrency', count, 1),
    run: async (measured) => {
      await measureRuns(settings.warmUp, settings.concurrency, measured);
      const start = performance.now();
      const durations = await measureRuns(settings.times, settings.concurrency, measured);
      return resultOf(durations, performance.now() - start);
    },
  };
}

async function measureRuns(
  count: number,
  concurrency: number,
  measured: () => Promise<unknown>,
): Promise<readonly number[]> {
  const durations: number[] = [];
  let begun = 0;
  let hasFailed = false;
  const worker = async () => {
    while (begun < count && !hasFailed) {
      const index = begun++;
      const start = performance.now();
      try {
        await measured();
      } catch (error) {
        hasFailed = true;
        throw error;
      }
      durations[index] = performance.now() - start;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(concurrency, count) }, worker));
  const failure = ended.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
  return durations;
}

function resultOf(durations: readonly number[], elapsed: number): BenchmarkResult {
  const sorted = durations.toSorted((a, b) => a - b);
  const total = durations.reduce((sum, duration) => sum + duration, 0);
  // The nearest rank: the smallest duration that at least this many percent do not exceed.
  const percentile = (percent: number) => sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0;
  return {
    times: durations.length,
    durations,
    elapsed,
    total,
    average: total / durations.length,
    min: sorted[0] ?? 0,
    max: sorted.at(-1) ?? 0,
    percentiles: { p50: percentile(50), p90: percentile(90), p95: percentile(95), p99: percentile(99) },
    perSecond: (durations.length * 1000) / elapsed,
  };
}
