import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { SessionTokens } from '../http/session-token.ts';
import type { McpTokens } from '../mcp/mcp-token.ts';
import type { AgentStateHolder } from './agent-state.ts';
import { type DescribePortOwner, listenOn, type PortWish } from './listen.ts';
import { createServerStop } from './stop-server.ts';

/** A server that listens. */
export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  stop(drainMs: number): Promise<void>;
}

interface ListenOptions {
  /** Address to bind. */
  readonly host: string;
  readonly port: PortWish;
  readonly describePortOwner?: DescribePortOwner | undefined;
}

export interface RestListenOptions extends ListenOptions {
  readonly prefix: string;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly exportLimit?: number | undefined;
  readonly states: AgentStateHolder;
  readonly tokens: SessionTokens;
  readonly logger: Logger;
  readonly random: Random;
}

export interface McpListenOptions extends ListenOptions {
  readonly states: AgentStateHolder;
  readonly tokens: McpTokens;
  readonly logger: Logger;
  readonly random: Random;
  readonly version: string;
}

/** Serve the REST API. The web framework is loaded here, so that whoever never listens never loads it. */
export async function listenRest(options: RestListenOptions): Promise<ListeningServer> {
  const { createRestServer } = await import('../http/rest-server.ts');
  const app = createRestServer(options);
  await app.ready();
  const stopServer = createServerStop(app.server);
  const port = await listenOn(app.server, options.host, options.port, options.describePortOwner);
  return {
    url: `${originOf(options.host, port)}${options.prefix}`,
    port,
    stop: async (drainMs) => {
      await stopServer(drainMs);
      await app.close();
    },
  };
}

/** Serve the MCP endpoint. */
export async function listenMcp(options: McpListenOptions): Promise<ListeningServer> {
  const { createMcpHttpServer } = await import('../mcp/mcp-server.ts');
  let url = '';
  const hostnames = ['localhost', '127.0.0.1', '[::1]', hostnameOf(options.host)];
  const { server, close } = createMcpHttpServer({ ...options, hostnames, url: () => url });
  const stopServer = createServerStop(server);
  const port = await listenOn(server, options.host, options.port, options.describePortOwner);
  url = `${originOf(options.host, port)}/mcp`;
  return {
    url,
    port,
    stop: async (drainMs) => {
      await stopServer(drainMs);
      await close();
    },
  };
}

function originOf(host: string, port: number): string {
  return `http://${hostnameOf(host)}:${port}`;
}

function hostnameOf(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
