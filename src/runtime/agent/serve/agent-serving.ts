import type { Logger } from '#kernel/ports/logger';
import { type McpPlace, resourceOf } from '../../surfaces/mcp/mcp-routes.ts';
import type { McpSurface } from '../../surfaces/mcp/mcp-surface.ts';
import type { MountGate } from '../../surfaces/mounts/mount-gate.ts';
import type { AskMcp } from '../../surfaces/request/mcp-asker.ts';
import type { RestServerOptions } from '../../surfaces/rest/rest-server-options.ts';
import {
  type ListeningServer,
  type ListenOptions,
  listenMcp,
  openRest,
  type RestApplication,
} from './agent-servers.ts';
import {
  type McpServingOptions,
  type McpSettings,
  originOfMounted,
  placeUnknown,
  publicOriginOf,
} from './mcp-serving.ts';

/** Where an agent's server listens, and where clients reach it. */
export type ServerPlace = ListenOptions;

/** The servers that an agent has besides its mounts. */
export interface AgentServers<Server> {
  readonly rest?: Server | undefined;
  readonly mcp?: Server | undefined;
}

/** The surfaces of an agent: one REST API behind every mount and behind a server of its own, and an MCP server. */
export interface AgentServing {
  /** The servers that listen. */
  readonly listening: AgentServers<ListeningServer>;
  /**
   * The MCP server, as clients name it and as tokens for it do: the one on a port of its own, else the one that is mounted.
   * `undefined` if there is none, or while nobody knows its address.
   */
  readonly mcpResource: string | undefined;
  /** Asks the MCP server for a person of the REST API: the server on a port of its own, else the one that is mounted. */
  readonly askMcp: AskMcp;
  /** Serve the MCP server through the mounts and the server of the REST API, from the next `open` on. */
  mountMcp(settings: McpSettings): void;
  /**
   * Answer the requests of mounts, and open servers: all of them or none. Rejects with `MACHINE_PORT_IN_USE`, and with
   * `AGENT_OPTION_INVALID` where the MCP server has no address.
   */
  open(servers: AgentServers<ServerPlace>): Promise<void>;
  /** Take no more requests. Those in flight get `drainMs` to end. Calling it again does nothing. */
  stop(drainMs: number): Promise<void>;
}

export interface AgentServingOptions {
  readonly rest: RestServerOptions;
  readonly mcp: McpServingOptions;
  readonly gate: MountGate;
  readonly logger: Logger;
}

export function createAgentServing(options: AgentServingOptions): AgentServing {
  const { gate, logger } = options;
  let application: RestApplication | undefined;
  let listening: AgentServers<ListeningServer> = {};
  let mounted: MountedMcp | undefined;
  let mcpResource: string | undefined;
  let ownMcp: McpSurface | undefined;

  const stop = async (drainMs: number) => {
    gate.close();
    const { rest: restServer, mcp: mcpServer } = listening;
    await Promise.all([restServer?.stop(drainMs), mcpServer?.stop(drainMs), gate.drain(drainMs)]);
    await mounted?.surface.close();
    listening = {};
    ownMcp = undefined;
  };

  return {
    get listening() {
      return listening;
    },
    get mcpResource() {
      if (mcpResource !== undefined || mounted?.origin === undefined) return mcpResource;
      return resourceOf({ origin: mounted.origin, basePath: mounted.basePath });
    },
    askMcp: async (message, asker) => (ownMcp ?? mounted?.surface)?.answerPerson(message, asker),
    mountMcp: (settings) => {
      const { basePath } = settings;
      const mcp: MountedMcp = {
        basePath,
        origin: undefined,
        surface: options.mcp.createSurface(settings, (askedAt) => placeAt(mcp.origin ?? askedAt, basePath)),
      };
      mounted = mcp;
      application = undefined;
      gate.claim(mcp.surface.covers);
    },
    open: async (servers) => {
      application ??= await openRest({ ...options.rest, front: mounted?.surface });
      const { answer } = application;
      try {
        const { rest, mcp } = servers;
        if (rest) listening = { rest: await application.listen(rest) };
        if (mcp) {
          const own = await openOwnMcp(options.mcp, mcp);
          listening = { ...listening, mcp: own.server };
          mcpResource = own.resource;
          ownMcp = own.surface;
        }
        if (mounted) mounted.origin = await originOfMounted(options.mcp, originOf(listening.rest));
      } catch (error) {
        await stop(0);
        throw error;
      }
      gate.open(answer);
      if (listening.rest) logger.log('Info', `The agent listens on ${listening.rest.url}`);
    },
    stop,
  };
}

/** The MCP server behind the mounts. */
interface MountedMcp {
  readonly basePath: string;
  readonly surface: McpSurface;
  /** Where clients reach it, once the agent has started and knows. */
  origin: string | undefined;
}

/** The MCP server on a port of its own, and the name that tokens have for it. */
async function openOwnMcp(
  { createSurface, ownSettings, ownUrl }: McpServingOptions,
  at: ServerPlace,
): Promise<{ readonly server: ListeningServer; readonly resource: string; readonly surface: McpSurface }> {
  let origin = ownUrl === undefined ? undefined : publicOriginOf(ownUrl);
  const { basePath } = ownSettings;
  const surface = createSurface(ownSettings, () => placeAt(origin, basePath));
  const server = await listenMcp(surface, at);
  origin ??= server.origin;
  return { server, resource: resourceOf({ origin, basePath }), surface };
}

function placeAt(origin: string | undefined, basePath: string): McpPlace {
  if (origin === undefined) throw placeUnknown();
  return { origin, basePath };
}

function originOf(server: ListeningServer | undefined): string | undefined {
  return server && new URL(server.url).origin;
}
