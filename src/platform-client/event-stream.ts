import { setTimeout as delay } from 'node:timers/promises';
import { heartbeatMs } from '#contracts/platform-events';
import type { Random } from '#kernel/ports/random';
import { EventAcks } from './event-acks.ts';
import type { EventStreamOptions, PlatformEventListener, TimedEventStreamOptions } from './event-stream-options.ts';
import { type Progress, readEvents, type StreamEnd } from './read-events.ts';

export interface EventSubscription {
  /** Nothing is heard any more. May be called again. */
  close(): void;
}

/**
 * Listen to the platform, and again whenever the connection ends, with pauses that grow and vary. Never throws, keeps no
 * process alive, and gives up for no answer: credentials may be fixed and platforms replaced while an agent runs.
 */
export function followPlatformEvents(options: EventStreamOptions, listener: PlatformEventListener): EventSubscription {
  const ending = new AbortController();
  void follow({ beatMs: heartbeatMs, ...options }, listener, ending.signal);
  return { close: () => ending.abort() };
}

async function follow(
  options: TimedEventStreamOptions,
  listener: PlatformEventListener,
  signal: AbortSignal,
): Promise<void> {
  const agent = options.random.uuid();
  const progress: Progress = { agent, acks: new EventAcks({ ...options, agent }), last: undefined };
  for (let failures = 0; !signal.aborted; failures++) {
    const end = await readEvents(options, progress, listener, signal);
    if (signal.aborted) return;
    listener.disconnected(end.reason);
    // One that breaks as soon as it is made has not recovered.
    if (end.livedMs > options.beatMs) failures = 0;
    const pauseMs = pauseBeforeReconnect(failures, end, options);
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined); // Ended while it waited.
  }
}

/** All in heartbeats. */
const firstPause = 1 / 30;
const longestPause = 2;
const longestAskedPause = 10;

/**
 * Milliseconds before it is tried again: exponential with jitter, so that a thousand agents do not come back at the same
 * moment. It is the longest at once if the same request would be refused again. It is never less than the server asked for,
 * within reason.
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
