export interface Cleanups {
  add(cleanup: () => Promise<unknown>): void;
  /** Run all of them, the last added first, together; one that fails does not keep the others from running. */
  runAll(): Promise<void>;
}

/** What has to be undone when a flow ends, however it ends. */
export function createCleanups(): Cleanups {
  const cleanups: (() => Promise<unknown>)[] = [];
  return {
    add: (cleanup) => void cleanups.push(cleanup),
    async runAll() {
      const results = await Promise.allSettled(
        cleanups
          .splice(0)
          .reverse()
          .map((cleanup) => cleanup()),
      );
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    },
  };
}
