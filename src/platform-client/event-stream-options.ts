import type { PlatformEvent } from '#contracts/platform-events';
import type { CloudError } from '#kernel/errors/cloud-error';
import type { Http, HttpStreams } from '#kernel/ports/http';
import type { Random } from '#kernel/ports/random';

/** Hears what the platform announces. */
export interface PlatformEventListener {
  /** Announcements come through from now on; what happened before is not told. */
  connected(): void;
  /** Announcements come through again, those that were missed first. Nothing else has changed. */
  resumed(): void;
  received(event: PlatformEvent): void;
  /** Nothing comes through for now; it is tried again until the subscription ends. */
  disconnected(reason: CloudError): void;
}

export interface EventStreamOptions {
  readonly serverUrl: string;
  readonly envSecret: string;
  readonly http: Http & HttpStreams;
  readonly random: Random;
  /** How often the platform sends a heartbeat, in milliseconds; other waits depend on it. */
  readonly beatMs?: number;
}

export type TimedEventStreamOptions = Required<EventStreamOptions>;
