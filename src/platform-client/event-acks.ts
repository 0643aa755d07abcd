import { setTimeout as delay } from 'node:timers/promises';
import { toCloudError } from '#kernel/errors/cloud-error';
import type { Http } from '#kernel/ports/http';
import { createPlatformTransport } from './platform-transport.ts';

export interface EventAcksOptions {
  readonly serverUrl: string;
  readonly envSecret: string;
  readonly http: Http;
  /** As the platform knows the listener. */
  readonly agent: string;
}

/** Events of one change come right after one another, and are acknowledged together. */
const gatherMs = 10;

/** Tells the platform which events are carried out: one request at a time, always with the newest. */
export class EventAcks {
  readonly #options: EventAcksOptions;
  #isSending = false;
  #isUnknown = false;
  #connections = 0;
  #newest = -1;
  #told = -1;

  constructor(options: EventAcksOptions) {
    this.#options = options;
  }

  /** There is a new connection, at which the platform knows of none. */
  connected(): void {
    this.#connections++;
    this.#told = -1;
    this.#isUnknown = false;
  }

  /** Everything up to this event is carried out. What cannot be told now is reported with the next event or heartbeat. */
  carriedOut(id: number): void {
    this.#newest = id;
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    const { serverUrl, envSecret, http, agent } = this.#options;
    try {
      const transport = createPlatformTransport({ serverUrl, http, credentials: { envSecret } });
      while (this.#told !== this.#newest && !this.#isUnknown) {
        await delay(gatherMs, undefined, { ref: false });
        const id = this.#newest;
        const connection = this.#connections;
        await transport.send({
          method: 'POST',
          path: 'agent/v1/event-acks',
          credential: 'envSecret',
          json: { agent, id },
          isRepeatable: true,
        });
        // What an earlier connection was told, the platform has forgotten.
        if (connection === this.#connections) this.#told = id;
      }
    } catch (error) {
      // A platform that does not ask for acknowledgements has no such route.
      this.#isUnknown = toCloudError(error).safeDetails['status'] === 404;
    } finally {
      this.#isSending = false;
    }
  }
}
