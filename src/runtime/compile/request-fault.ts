import { isCloudError } from '#kernel/errors/cloud-error';
import { AbsentElement, type Fault } from './compile-problem.ts';

/** What an error of a request says, for a declaration that would always meet it; other errors are thrown on. */
export function requestFault(check: () => unknown): Fault | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!isCloudError(error) || !error.code.startsWith('REQUEST_')) throw error;
    return error.code === 'REQUEST_FIELD_UNKNOWN' ? new AbsentElement(error.message) : error.message;
  }
}
