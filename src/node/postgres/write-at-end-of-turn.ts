import type { Writable } from 'node:stream';

/**
 * Hold back what is written to a stream in this turn of the event loop, and write it in one call of the system at the end
 * of the turn. Such a call costs more than anything else that a quick read needs.
 */
export function writeAtEndOfTurn(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
