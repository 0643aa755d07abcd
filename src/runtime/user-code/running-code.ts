import { AsyncLocalStorage } from 'node:async_hooks';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import { locateInProject } from './stack-places.ts';

/** What handler of the user's runs, by its name. What it calls and awaits belongs to it, until it calls another handler. */
export const handlerNames = new AsyncLocalStorage<string>();
/** Frames below the place may be those of a package. */
const keptFrames = 100;

/** What a thread does with the code of a project. */
export interface RunningCode {
  /** "The computed field "total" of "orders""; `undefined` outside handlers. */
  readonly subject: string | undefined;
  /** Where in the files of the project. */
  readonly location: SourceLocation | undefined;
}

/**
 * The code of the project that runs now.
 *
 * @param error names the place by its stack. Default: the stack of whoever asks.
 */
export function runningCode(projectRoot: string, error: unknown = stackHere()): RunningCode {
  return { subject: handlerNames.getStore(), location: locateInProject(error, projectRoot) };
}

function stackHere(): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = keptFrames;
  const error = new Error('This is where it is.');
  // It is formatted when somebody reads it.
  void error.stack;
  Error.stackTraceLimit = stackTraceLimit;
  return error;
}
