import type { Agent } from '../customizer/agent.ts';
import type { AnySchema, SchemaShape } from '../customizer/schema-types.ts';
import type { DataSource, DataSourceFactory } from '../data-sources/interface/data-source.ts';
import type { ExpressHost } from '../surfaces/mounts/express.ts';
import type { FastifyHost } from '../surfaces/mounts/fastify.ts';
import type { KoaHost } from '../surfaces/mounts/koa.ts';
import type { NestHost } from '../surfaces/mounts/nest.ts';
import type { CollectionSelection } from './assemble/select-collections.ts';
import type { McpOptions } from './options/mcp-options.ts';

/** An agent inside an application of your own. Declarations take effect at `start` and at every `restart`. */
export interface EmbeddedAgent<S extends SchemaShape<S> = AnySchema> extends Agent<S> {
  /**
   * Take the collections of a data source, or a part of them, or under other names. A function opens it when the agent starts,
   * and again at every `restart`; one that is open already is closed with the agent, and used again after a `restart`. Throws
   * `AGENT_OPTION_INVALID`.
   */
  addDataSource(source: DataSourceFactory | DataSource, options?: CollectionSelection): this;
  /**
   * Serve the REST API on a server of its own, which listens from `start` on.
   *
   * @param port Default: the environment variable `PORT`, else 3351. 0 takes any free one.
   * @param host Default `127.0.0.1`.
   */
  mountOnStandaloneServer(port?: number, host?: string): this;
  /**
   * Serve the REST API through an application or a router of Express 4 or 5. Like every mount it takes what is below the
   * prefix, as the client sent it, and leaves the rest to the host. It may stand beside others, and come before or after
   * `start`. Throws `AGENT_MOUNT_INVALID`.
   */
  mountOnExpress(host: ExpressHost): this;
  /** Serve the REST API through an application of Fastify 5 that is not ready yet. Throws `AGENT_MOUNT_INVALID`. */
  mountOnFastify(host: FastifyHost): this;
  /** Serve the REST API through an application or a router of Koa. Throws `AGENT_MOUNT_INVALID`. */
  mountOnKoa(host: KoaHost): this;
  /**
   * Serve the REST API through an application of NestJS, on Express or Fastify, that is not initialised yet. Throws
   * `AGENT_MOUNT_INVALID`.
   */
  mountOnNestJs(host: NestHost): this;
  /**
   * Serve an MCP server for AI assistants through every mount, at the root of the host: `/mcp`, `/oauth/…` and
   * `/.well-known/…`. Throws `AGENT_OPTION_INVALID`. `start` rejects with it as well, where the public address of the agent is
   * unknown or has a path.
   */
  mountAiMcpServer(options?: McpOptions): this;
  /** Port of the standalone server once it listens. */
  readonly standaloneServerPort: number | undefined;
  /**
   * Open the data sources, compile the declarations, bring schema and typings up to date, then listen. Rejects with
   * `AGENT_OPTION_INVALID` where production names no platform, and with `CUSTOMIZATION_…`, `DATABASE_…`, `PLATFORM_…`,
   * `AGENT_SCHEMA_MISSING`, `MACHINE_PORT_IN_USE` or `MACHINE_ADDRESS_UNUSABLE`, having closed what it opened.
   */
  start(): Promise<void>;
  /**
   * Look at the databases and run the declarations again, then swap. Sockets stay open. When it fails, the agent serves what it
   * served before. Does nothing unless the agent is started.
   */
  restart(): Promise<void>;
  /**
   * Let requests in flight end, for ten seconds at most, then close servers and data sources. Mounts stay, and answer that the
   * agent is not started.
   */
  stop(): Promise<void>;
  /** Write the typings file only, when it changes. `typingsMaxDepth`: how many relations a path may follow, 5 by default. */
  updateTypesOnFileSystem(typingsPath: string, typingsMaxDepth?: number): Promise<void>;
  /**
   * Write the schema file, and the typings where `typingsPath` is set, without starting or sending anything. The platform is
   * asked only for actions without code, where the options take them.
   */
  generateSchemaOnly(): Promise<void>;
}
