import type { Agent } from '../customizer/agent.ts';
import type { AnySchema, SchemaShape } from '../customizer/schema-types.ts';
import type { DataSourceFactory } from '../data-sources/data-source.ts';
import type { CollectionSelection } from './select-collections.ts';

/** An agent inside an application of your own. What is declared takes effect at `start` and at every `restart`. */
export interface EmbeddedAgent<S extends SchemaShape<S> = AnySchema> extends Agent<S> {
  /** Take the collections of a data source, or a part of them, or under other names. */
  addDataSource(factory: DataSourceFactory, options?: CollectionSelection): this;
  /**
   * Serve the REST API on a server of its own, which listens from `start` on.
   *
   * @param port Default: the environment variable `PORT`, else 3351. 0 takes any free one.
   * @param host Default `127.0.0.1`.
   */
  mountOnStandaloneServer(port?: number, host?: string): this;
  /** Port of the standalone server once it listens. */
  readonly standaloneServerPort: number | undefined;
  /**
   * Open the data sources, compile the declarations, bring schema and typings up to date, then listen. Rejects with
   * `CUSTOMIZATION_…`, `DATABASE_…`, `PLATFORM_…`, `AGENT_SCHEMA_MISSING` or `MACHINE_PORT_IN_USE`, having closed what it opened.
   */
  start(): Promise<void>;
  /** Look at the databases and run the declarations again, then swap. Sockets stay open; when it fails, what was served before is served on. */
  restart(): Promise<void>;
  /** Let requests in flight end, then close servers and data sources. */
  stop(): Promise<void>;
  /** Write the typings file alone, when it changes. `typingsMaxDepth`: how many relations a path may follow, 5 by default. */
  updateTypesOnFileSystem(typingsPath: string, typingsMaxDepth?: number): Promise<void>;
  /** Write the schema file, and the typings where `typingsPath` is set, without starting or sending anything. */
  generateSchemaOnly(): Promise<void>;
}
