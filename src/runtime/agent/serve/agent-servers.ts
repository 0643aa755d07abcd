import type { RequestListener, Server } from 'node:http';
import type { WantedPort } from '#kernel/ports/tcp';
import { hostInUrl, listenOnPort, stopServer } from '#node/http/listen-on-port';
import { createServer } from '#node/http/node-http';
import type { McpSurface } from '../../surfaces/mcp/mcp-surface.ts';
import type { RestServerOptions } from '../../surfaces/rest/rest-server-options.ts';

/** A server that listens. */
export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  stop(drainMs: number): Promise<void>;
}

/** The host and the port of a server. */
export interface ListenOptions {
  /** Address to bind. */
  readonly host: string;
  readonly port: WantedPort;
  /** Scheme, host and port of a proxy in front, which clients reach the server at; `undefined` if there is none. */
  readonly reachedAt?: string | undefined;
}

/** The REST API, ready to answer the requests of its own server and those that other servers hand over. */
export interface RestApplication {
  readonly answer: RequestListener;
  /** Open the server of its own. It may be opened again once it has stopped. */
  listen(where: ListenOptions): Promise<ListeningServer>;
}

/** With the web framework, so that an agent that never serves never loads it. */
const code = () => import('../../surfaces/rest/rest-server.ts');

/** Load the code of the REST API before its first use. */
export async function loadRest(): Promise<void> {
  await code();
}

/** Get the REST API ready. */
export async function openRest(options: RestServerOptions): Promise<RestApplication> {
  const { answerBehind, createRestServer } = await code();
  const app = createRestServer(options);
  await app.ready();
  return {
    answer: options.front ? answerBehind(options.front, app.routing) : app.routing,
    listen: async (where) => {
      const port = await listen(app.server, where);
      return {
        url: `${originOf(where, port)}${options.prefix}`,
        port,
        stop: (drainMs) => stopServer(app.server, drainMs),
      };
    },
  };
}

/** Serve the MCP server on a port of its own. */
export async function listenMcp(
  surface: McpSurface,
  where: ListenOptions,
): Promise<ListeningServer & { readonly origin: string }> {
  const server = createServer((request, response) => surface.answer(request, response));
  const port = await listen(server, where);
  const origin = originOf(where, port);
  return {
    origin,
    url: `${origin}/mcp`,
    port,
    stop: async (drainMs) => {
      await stopServer(server, drainMs);
      await surface.close();
    },
  };
}

async function listen(server: Server, { host, port, reachedAt }: ListenOptions): Promise<number> {
  // A proxy closes the connections that it does not need. One that the server closed just then would cost a request.
  if (reachedAt !== undefined) server.keepAliveTimeout = 0;
  return listenOnPort(server, host, port);
}

function originOf({ host, reachedAt }: ListenOptions, port: number): string {
  return reachedAt ?? `http://${hostInUrl(host)}:${port}`;
}
