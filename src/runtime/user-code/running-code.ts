import { AsyncLocalStorage } from 'node:async_hooks';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import { locateInProject } from './error-location.ts';

const named = new AsyncLocalStorage<string>();
/** Frames below the place may be those of a package. */
const keptFrames = 100;

/** What a thread does with the code of a project. */
export interface RunningCode {
  /** "The computed field "total" of "orders""; `undefined` outside handlers. */
  readonly subject: string | undefined;
  /** Where in the files of the project. */
  readonly location: SourceLocation | undefined;
}

/** Run a handler of the user's. What it calls and awaits is known by `subject` too, until it calls another handler. */
export function runNamed<Result>(subject: string, run: () => Result): Result {
  return named.run(subject, run);
}

/** The code of the project that runs now, by the stack of whoever asks. */
export function runningCode(projectRoot: string): RunningCode {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = keptFrames;
  const trace = new Error();
  const location = locateInProject(trace, projectRoot);
  Error.stackTraceLimit = stackTraceLimit;
  return { subject: named.getStore(), location };
}
