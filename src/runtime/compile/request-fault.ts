import { isCloudError } from '#kernel/errors/cloud-error';
import { AbsentElement, type Fault } from './compile-problem.ts';

/** The message of an error that requests would always meet because of a declaration. Other errors are thrown again. */
export function requestFault(check: () => unknown): Fault | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!isCloudError(error) || !error.code.startsWith('REQUEST_')) throw error;
    return error.code === 'REQUEST_FIELD_UNKNOWN' ? new AbsentElement(error.message) : error.message;
  }
}
