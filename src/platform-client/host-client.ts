import { type Beat, type HostVariables, hostVariablesSchema, type Orders, ordersSchema } from '#contracts/hosting';
import type { Http, HttpStreams } from '#kernel/ports/http';
import type { Random } from '#kernel/ports/random';
import { type EventSubscription, followPlatformEvents } from './event-stream.ts';
import type { PlatformEventListener } from './event-stream-options.ts';
import { createPlatformClient, type PlatformClient } from './platform-client.ts';
import { createPlatformTransport } from './platform-transport.ts';

/** The platform as the host of an environment's agent uses it. Methods reject with an error of the family `PLATFORM_…`. */
export interface HostPlatform extends Pick<PlatformClient, 'checkSchemaHash' | 'uploadSchema'> {
  /** Tell that the host is there and what it serves. Resolves with what is wanted of it. */
  beat(beat: Beat): Promise<Orders>;
  /** The bytes of that SHA-256, not checked. */
  fetchBundle(digest: string): Promise<Uint8Array>;
  fetchVariables(revision: number): Promise<HostVariables>;
  /** The host serves no more. */
  leave(host: string): Promise<void>;
  /** Listen to what the platform announces, until the subscription is closed. */
  followEvents(listener: PlatformEventListener): EventSubscription;
}

export interface HostPlatformOptions {
  readonly serverUrl: string;
  readonly envSecret: string;
  readonly http: Http & HttpStreams;
  readonly random: Random;
}

const bundleDeadlineMs = 60_000;
const beatDeadlineMs = 10_000;

export function connectHost({ serverUrl, envSecret, http, random }: HostPlatformOptions): HostPlatform {
  const transport = createPlatformTransport({ serverUrl, http, credentials: { envSecret } });
  const get = { method: 'GET', credential: 'envSecret', isRepeatable: true } as const;
  const { checkSchemaHash, uploadSchema } = createPlatformClient({ serverUrl, http, credentials: { envSecret } });
  return {
    checkSchemaHash,
    uploadSchema,
    // The next beat says the same and more.
    beat: (beat) =>
      transport.fetchJson(
        {
          method: 'POST',
          path: 'host/v1/beats',
          credential: 'envSecret',
          isRepeatable: false,
          json: beat,
          deadlineMs: beatDeadlineMs,
        },
        ordersSchema,
      ),
    fetchBundle: async (digest) =>
      (await transport.send({ ...get, path: `host/v1/bundles/${digest}`, deadlineMs: bundleDeadlineMs })).body,
    fetchVariables: (revision) =>
      transport.fetchJson({ ...get, path: `host/v1/variables/${revision}` }, hostVariablesSchema),
    leave: async (host) => {
      await transport.send({
        method: 'DELETE',
        path: `host/v1/hosts/${host}`,
        credential: 'envSecret',
        // A platform that is away notices by itself that the host is gone; nobody waits for it.
        isRepeatable: false,
        deadlineMs: 2_000,
      });
    },
    followEvents: (listener) => followPlatformEvents({ serverUrl, envSecret, http, random }, listener),
  };
}
