import type { Random } from '#kernel/ports/random';
import type { StreamEnd } from './read-events.ts';

/** All in heartbeats. */
const firstPause = 1 / 30;
const longestPause = 2;
const longestAskedPause = 10;

/**
 * Milliseconds before it is tried again: exponential with jitter, so that a thousand agents do not come back at the same
 * moment; the longest at once where the same request would be refused again; never less than the server asked for, within reason.
 */
export function pauseBeforeReconnect(
  failures: number,
  { reason, askedPauseMs }: StreamEnd,
  { random, beatMs }: { readonly random: Random; readonly beatMs: number },
): number {
  const growing = reason.recover === 'retry' ? firstPause * 2 ** failures : longestPause;
  const fraction = Number.parseInt(random.hex(4), 16) / 0xffffffff;
  const pauseMs = Math.min(growing, longestPause) * beatMs * (0.25 + 0.75 * fraction);
  return Math.max(pauseMs, Math.min(askedPauseMs, longestAskedPause * beatMs));
}
