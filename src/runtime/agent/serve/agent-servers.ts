import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ToolName } from '#contracts/mcp';
import { hostInUrl } from '#host/http/host-in-url';
import { listenOnPort } from '#host/http/listen-on-port';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { WantedPort } from '#kernel/ports/wanted-port';
import type { ActReporter } from '../../activity/act-reporter.ts';
import type { McpTokens } from '../../surfaces/mcp/mcp-token.ts';
import type { Safeguards } from '../../surfaces/mcp/safeguards/safeguards.ts';
import type { AgentStateHolder } from '../../surfaces/request/agent-state.ts';
import type { RestServerOptions } from '../../surfaces/rest/rest-server-options.ts';
import { stopServer } from './stop-server.ts';

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
}

/** The REST API, ready to answer the requests of its own server and those that other servers hand over. */
export interface RestApplication {
  answer(request: IncomingMessage, response: ServerResponse): void;
  /** Open the server of its own. It may be opened again once it has stopped. */
  listen(where: ListenOptions): Promise<ListeningServer>;
}

/** The parts that the MCP server needs. */
export interface McpServerOptions {
  readonly states: AgentStateHolder;
  readonly tokens: McpTokens;
  readonly logger: Logger;
  readonly random: Random;
  readonly reporter: ActReporter;
  readonly safeguards: Safeguards;
  /** Default: the ten of the specification. */
  readonly enabledTools: readonly ToolName[] | undefined;
  readonly version: string;
}

/** Get the REST API ready. The web framework is loaded here, so that an agent that never serves never loads it. */
export async function openRest(options: RestServerOptions): Promise<RestApplication> {
  const { createRestServer } = await import('../../surfaces/rest/rest-server.ts');
  const app = createRestServer(options);
  await app.ready();
  return {
    answer: (request, response) => app.routing(request, response),
    listen: async ({ host, port: wanted }) => {
      const port = await listenOnPort(app.server, host, wanted);
      return {
        url: `${originOf(host, port)}${options.prefix}`,
        port,
        stop: (drainMs) => stopServer(app.server, drainMs),
      };
    },
  };
}

/** Serve the MCP endpoint. */
export async function listenMcp(
  options: McpServerOptions,
  { host, port: wanted }: ListenOptions,
): Promise<ListeningServer> {
  const { createMcpHttpServer } = await import('../../surfaces/mcp/mcp-server.ts');
  let url = '';
  const hostnames = ['localhost', '127.0.0.1', '[::1]', hostInUrl(host)];
  const { server, close } = createMcpHttpServer({ ...options, hostnames, url: () => url });
  const port = await listenOnPort(server, host, wanted);
  url = `${originOf(host, port)}/mcp`;
  return {
    url,
    port,
    stop: async (drainMs) => {
      await stopServer(server, drainMs);
      await close();
    },
  };
}

function originOf(host: string, port: number): string {
  return `http://${hostInUrl(host)}:${port}`;
}
