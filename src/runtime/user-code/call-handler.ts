import { types } from 'node:util';
import { type CloudError, cloudError, isCloudError, type SourceLocation } from '#kernel/errors/cloud-error';
import { firstFrame } from './call-site.ts';
import { refusalOf } from './refusal-of.ts';
import { handlerNames } from './running-code.ts';

/**
 * Call a handler of the user's. Errors of ours pass through it as they are, and refusals become ours; anything else is a
 * mistake of the handler.
 */
export async function callHandler<Result>(subject: string, call: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await handlerNames.run(subject, call);
  } catch (thrown) {
    const error = legibleThrown(thrown);
    throw refusalOf(error) ?? customizationFailed(`${subject} threw an error.`, error);
  }
}

/**
 * The error of a handler that asked its context for something impossible, with the place of the call. Call it before
 * anything is awaited.
 */
export function contextMisused(message: string, cause?: unknown): CloudError {
  return customizationFailed(message, cause, firstFrame(new Error().stack ?? ''));
}

/** The error of a handler, with its place in the user's code where it is known. */
export function customizationFailed(message: string, cause?: unknown, place?: SourceLocation): CloudError {
  const isThrown = cause instanceof Error && !isCloudError(cause);
  const location = place ?? (isThrown ? firstFrame(cause.stack ?? '') : undefined);
  return cloudError('CUSTOMIZATION_FAILED', message, 'Correct the customization code that the message names.', {
    ...(cause === undefined ? {} : { cause }),
    ...(location ? { location } : {}),
  });
}

/**
 * A thrown value of user code that can be read safely. A Proxy may give anything for its name, and an object may throw when
 * it is read. An error that says so replaces them.
 */
export function legibleThrown(thrown: unknown): unknown {
  if (types.isProxy(thrown)) return new Error('It threw a Proxy, which cannot be read.');
  return isLegible(thrown) ? thrown : new Error('It threw an object that cannot be read.');
}

function isLegible(thrown: unknown): boolean {
  try {
    if (thrown instanceof Error) void [thrown.name, thrown.message, thrown.stack, thrown.cause];
    String(thrown);
    JSON.stringify(Object(thrown).data);
    return true;
  } catch {
    return false;
  }
}
