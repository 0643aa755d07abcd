import { Script } from 'node:vm';

/** Holds what the script calls. */
const slot = Symbol.for('@vendor/cloud/bounded run');
const script = new Script('globalThis[Symbol.for("@vendor/cloud/bounded run")]()');

/** Work took longer than it may. It was ended in the middle: nothing of it ran on, no `finally` either. */
export class RunOverdue extends Error {
  override readonly name = 'RunOverdue';
}

/**
 * Run synchronous work, and end it after `limitMs` by the clock: an endless loop, too.
 *
 * @throws `RunOverdue`, and whatever the work throws.
 */
export function runBounded<Result>(work: () => Result, limitMs: number): Result {
  const holder = globalThis as { [slot]?: unknown };
  let isCalled = false;
  holder[slot] = () => {
    delete holder[slot];
    isCalled = true;
    return work();
  };
  try {
    return script.runInThisContext({ timeout: limitMs }) as Result;
  } catch (error) {
    if (isCalled && isTimeout(error)) throw new RunOverdue(`It took longer than ${limitMs} ms.`);
    throw error;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
