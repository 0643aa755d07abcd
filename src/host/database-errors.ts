import { CloudError } from '#kernel/errors/cloud-error';

/** A statement that came late for its transaction. */
export function sessionIsOver(): CloudError {
  return new CloudError({ code: 'INTERNAL_BUG', message: 'A statement was sent after its transaction had ended.' });
}
