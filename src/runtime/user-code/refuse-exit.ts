import { syncBuiltinESMExports } from 'node:module';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { runningCode } from './running-code.ts';

/** Seconds after which the client of a request whose code wanted to end the worker may try again. */
const retryAfterSeconds = 1;

/**
 * From now on `process.exit()` throws where it is called: it fails the request or the load that called it, and the thread goes on with
 * all others.
 */
export function refuseExit(projectRoot: string): void {
  const { exit } = process;
  process.exit = (code) => {
    if (isCalledByNode()) exit(code);
    throw exitCalled(code, projectRoot);
  };
  // For modules that import the function by its name.
  syncBuiltinESMExports();
}

/** Node.js ends a worker so whose code threw an error that nothing caught. */
function isCalledByNode(): boolean {
  const trace: { readonly stack?: string } = {};
  Error.captureStackTrace(trace, process.exit);
  const [, caller = ''] = (trace.stack ?? '').split('\n');
  return caller.includes('(node:internal/main/worker_thread:');
}

function exitCalled(code: unknown, projectRoot: string): CloudError {
  const { subject = 'The customization code', location } = runningCode(projectRoot);
  return cloudError(
    'CUSTOMIZATION_EXITED',
    `${subject} called process.exit(${code === undefined ? '' : String(code)}).`,
    'Throw an error in place of process.exit().',
    { details: { retryAfterSeconds }, ...(location ? { location } : {}) },
  );
}
