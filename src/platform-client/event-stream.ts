import { setTimeout as delay } from 'node:timers/promises';
import { heartbeatMs } from '#contracts/platform-events';
import { EventAcks } from './event-acks.ts';
import { pauseBeforeReconnect } from './event-pause.ts';
import type { EventStreamOptions, PlatformEventListener, TimedEventStreamOptions } from './event-stream-options.ts';
import { type Progress, readEvents } from './read-events.ts';

export interface EventSubscription {
  /** Nothing is heard any more. May be called again. */
  close(): void;
}

/**
 * Listen to the platform, and again whenever the connection ends, with pauses that grow and vary. Never throws, keeps no
 * process alive, and gives up for no answer: credentials may be mended and platforms replaced while an agent runs.
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
