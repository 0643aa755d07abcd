import { performance } from 'node:perf_hooks';

/** How long a thread had work, and how long a processor worked on it. Both in milliseconds since it started. */
export interface ThreadTimes {
  readonly wantedMs: number;
  readonly gotMs: number;
}

/** The times of the thread that calls this. */
export function threadTimes(): ThreadTimes {
  const { user, system } = process.threadCpuUsage();
  return { wantedMs: performance.eventLoopUtilization().active, gotMs: (user + system) / 1_000 };
}
