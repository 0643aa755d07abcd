import type { HttpRequest, HttpResponse } from '#kernel/ports/http';
import type { Random } from '#kernel/ports/random';
import type { HttpClient } from '#node/http/http-client';
import { type EventSubscription, followPlatformEvents } from './event-stream.ts';
import type { PlatformEventListener } from './event-stream-options.ts';
import { createPlatformClient, type PlatformClient } from './platform-client.ts';

/** The platform as an agent uses it, over connections of the agent's own. */
export interface AgentPlatformClient extends PlatformClient {
  /** Listen to what the platform announces, until the subscription is closed. */
  followEvents(listener: PlatformEventListener): EventSubscription;
  /** Send a request to any address over the same connections. */
  sendHttp(request: HttpRequest): Promise<HttpResponse>;
  /** Close the connections; the next call opens new ones. */
  close(): Promise<void>;
}

/** @param http Belongs to the client from here on, which closes it. */
export function connectAgent(
  serverUrl: string,
  envSecret: string,
  http: HttpClient,
  random: Random,
): AgentPlatformClient {
  return {
    ...createPlatformClient({ serverUrl, http, credentials: { envSecret } }),
    followEvents: (listener) => followPlatformEvents({ serverUrl, envSecret, http, random }, listener),
    sendHttp: (request) => http.send(request),
    close: () => http.close(),
  };
}
