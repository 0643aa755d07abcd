import { isCloudError } from '#kernel/errors/cloud-error';

/** What an error of a request says, for a declaration that would always meet it; other errors are thrown on. */
export function requestProblem(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (isCloudError(error) && error.code.startsWith('REQUEST_')) return error.message;
    throw error;
  }
}
