export interface Cleanups {
  add(cleanup: () => Promise<unknown>): void;
  /** Run all of them, one after the other, the last added first; one that fails does not keep the others from running. */
  runAll(): Promise<void>;
}

/** What has to be undone when a flow ends, however it ends. What was started later may need what was started before. */
export function createCleanups(): Cleanups {
  const cleanups: (() => Promise<unknown>)[] = [];
  return {
    add: (cleanup) => void cleanups.push(cleanup),
    async runAll() {
      const failures: unknown[] = [];
      for (const cleanup of cleanups.splice(0).reverse()) {
        await cleanup().catch((error: unknown) => failures.push(error));
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
