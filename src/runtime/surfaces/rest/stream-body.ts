import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { actionFailed } from '../../actions/action-code.ts';

/**
 * Wait until a stream has something to send, so that one that fails before that is answered as an error. Once a part is
 * sent the status cannot change any more: then the connection is cut, and `onBreak` hears why.
 *
 * @param signal aborted when the client goes away; the stream is closed then.
 * @throws `INTERRUPTED` when the client goes away before there is anything to send, and `CUSTOMIZATION_FAILED` for a stream that failed, or was read before.
 */
export async function openStreamBody(
  stream: Readable,
  signal: AbortSignal,
  onBreak: (error: unknown) => void,
): Promise<void> {
  if (stream.destroyed || stream.readableEnded) {
    throw actionFailed('The stream of a file was read or closed before it could be sent.', stream.errored ?? undefined);
  }
  try {
    await once(stream, 'readable', { signal });
  } catch (error) {
    stream.destroy();
    if (signal.aborted) throw clientGone(error);
    // A file's records are read while it is sent. Their errors are answered as for any request.
    if (isCloudError(error)) throw error;
    throw actionFailed('The stream of a file failed before it could be sent.', error);
  }
  stream.once('error', (error) => {
    if (!signal.aborted) onBreak(error);
  });
}

function clientGone(cause: unknown): CloudError {
  return cloudError(
    'INTERRUPTED',
    'The client went away before there was anything to send.',
    'Send the request again.',
    { cause },
  );
}
