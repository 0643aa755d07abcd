import type { Logger } from '#kernel/ports/logger';
import type { MountGate } from '../../surfaces/mounts/mount-gate.ts';
import type { RestServerOptions } from '../../surfaces/rest/rest-server-options.ts';
import {
  type ListeningServer,
  type ListenOptions,
  listenMcp,
  type McpServerOptions,
  openRest,
  type RestApplication,
} from './agent-servers.ts';

/** The host and the port of an agent's server. */
export type ServerPlace = Pick<ListenOptions, 'host' | 'port'>;

/** The servers that an agent has besides its mounts. */
export interface AgentServers<Server> {
  readonly rest?: Server | undefined;
  readonly mcp?: Server | undefined;
}

/** The surfaces of an agent: one REST API behind every mount and behind a server of its own, and an MCP server. */
export interface AgentServing {
  /** The servers that listen. */
  readonly listening: AgentServers<ListeningServer>;
  /** Answer the requests of mounts, and open servers: all of them or none. Rejects with `MACHINE_PORT_IN_USE`. */
  open(servers: AgentServers<ServerPlace>): Promise<void>;
  /** Take no more requests. Those in flight get `drainMs` to end. Calling it again does nothing. */
  stop(drainMs: number): Promise<void>;
}

export interface AgentServingOptions {
  readonly rest: RestServerOptions;
  readonly mcp: McpServerOptions;
  readonly gate: MountGate;
  readonly logger: Logger;
}

export function createAgentServing(options: AgentServingOptions): AgentServing {
  const { gate, logger } = options;
  let application: RestApplication | undefined;
  let listening: AgentServers<ListeningServer> = {};

  const stop = async (drainMs: number) => {
    gate.close();
    const { rest: restServer, mcp: mcpServer } = listening;
    await Promise.all([restServer?.stop(drainMs), mcpServer?.stop(drainMs), gate.drain(drainMs)]);
    listening = {};
  };

  return {
    get listening() {
      return listening;
    },
    open: async (servers) => {
      application ??= await openRest(options.rest);
      try {
        const { rest, mcp } = servers;
        if (rest) listening = { rest: await application.listen(rest) };
        if (mcp) listening = { ...listening, mcp: await listenMcp(options.mcp, mcp) };
      } catch (error) {
        await stop(0);
        throw error;
      }
      gate.open(application.answer);
      if (listening.rest) logger.log('Info', `The agent listens on ${listening.rest.url}`);
    },
    stop,
  };
}
