import { runningCode } from '#runtime/index';

/** Where a worker keeps the function that tells what it runs. */
export const tellerName = '@vendor/cloud/running code';

/** Let the main thread ask this thread what it runs, also in the middle of a loop. The answer is JSON. */
export function tellWhatRuns(projectRoot: string): void {
  // The code that runs may have replaced it.
  const { stringify } = JSON;
  const tell = () => stringify(runningCode(projectRoot));
  Object.defineProperty(globalThis, Symbol.for(tellerName), { value: tell });
}
