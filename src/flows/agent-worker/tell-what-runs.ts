import { type RunningCode, runningCode } from '#runtime/index';

/** Where a worker keeps the function that tells what it runs. */
export const tellerName = '@vendor/cloud/running code';

/**
 * Let the main thread ask this thread what it runs, also in the middle of a loop; the answer is JSON. Tell it by itself when an error that
 * nothing catches ends the thread.
 */
export function tellWhatRuns(projectRoot: string, onCrash: (running: RunningCode) => void): void {
  // The code that runs may have replaced it.
  const { stringify } = JSON;
  const tell = () => stringify(runningCode(projectRoot));
  process.on('uncaughtExceptionMonitor', (error) => onCrash(runningCode(projectRoot, error)));
  Object.defineProperty(globalThis, Symbol.for(tellerName), { value: tell });
}
