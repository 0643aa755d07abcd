import type { BuiltDashboard } from '#contracts/dashboards';
import type { RestSettings } from '#contracts/rest-settings';
import type { SchemaDocument } from '#contracts/schema-document';
import type { CloudError } from '#kernel/errors/cloud-error';
import type { DataSourceFactory, SuggestedSettings } from '../data-sources/interface/data-source.ts';
import type { ExplainedPermissions, PermissionQuestion } from '../permissions/explained-permissions.ts';
import type { ExplainedQuery } from '../records/request/explain-query.ts';
import type { TablesOutline } from './assemble/outline-tables.ts';

interface LoadResult {
  /** Names of the published collections. */
  readonly collections: readonly string[];
  /** The parts of the databases that the agent leaves out, and why; one sentence each. */
  readonly warnings: readonly string[];
  /** Settings that the columns of a data source suggest, by its name; without those that suggest none. */
  readonly suggestedSettings: Readonly<Record<string, SuggestedSettings>>;
}

interface LoadOptions {
  /**
   * Leave out what names tables and columns that are not there, and test nothing. The databases have changed, and whatever of the
   * code still fits to them is better than none. Default false.
   */
  readonly isLenient?: boolean | undefined;
  /** The dashboards that the code carries. Default: none. */
  readonly dashboards?: readonly BuiltDashboard[];
  /** Number of the version of the code, which reports of acts name. Default: none. */
  readonly codeVersion?: number | undefined;
}

/** Scheme, host and port at which clients reach the servers of an agent. */
export interface ReachedAt {
  readonly agent: string;
  readonly mcp: string;
}

export interface RuntimeServers {
  /** Where clients reach the REST API, with its prefix. */
  readonly agentUrl: string;
  readonly mcpUrl: string;
  /** Where the servers listen. */
  readonly ports: { readonly agent: number; readonly mcp: number };
}

/** The running agent, as the dev loop drives it: servers and database connections outlive every load. */
export interface AgentRuntime {
  /**
   * Declare, compile, self-test, swap. When any of it fails, the call rejects and the last good model is served on. Before the
   * first load has succeeded nothing is served.
   *
   * @param customize A function that takes the `Agent` and may be async; checked, because it comes from user code.
   * @param dataSources Databases to open in place of those that are open. Those close when no request uses them any more.
   * @throws `CUSTOMIZATION_…`, `DATABASE_…`, `DASHBOARD_INVALID`
   */
  load(
    customize: unknown,
    dataSources?: Readonly<Record<string, DataSourceFactory>>,
    options?: LoadOptions,
  ): Promise<LoadResult>;
  /** What was read of the databases that are open. */
  tables(): Promise<TablesOutline>;
  /**
   * What a check of the code warns of, in sentences. It warns of fields that people outside seem to write, and of patterns in the checks of
   * tables that may take long.
   *
   * @param asksDatabases Only databases tell the checks of tables.
   */
  warningsOfCheck(asksDatabases: boolean): Promise<readonly string[]>;
  /** Whether a write is refused whose record cannot be made, from now on. Without a state folder nothing is recorded. */
  requireRecords(isRequired: boolean): void;
  /** Say how the REST API takes parameters from now on. */
  setRest(settings: RestSettings): void;
  /** Text of the typings file that belongs to what is loaded. */
  typings(): string;
  /** The schema document of the loaded model, as a platform gets it. */
  schema(): SchemaDocument;
  /** Another text whenever that document has anything else in it, beside the versions of programs. */
  schemaHash(): string;
  /**
   * Listen, and learn about changes on the platform. A busy port is replaced by a free one unless it was asked for by number.
   *
   * @param reachedAt The origins of the proxies in front of the servers, which clients know them by.
   */
  listen(reachedAt?: ReachedAt): Promise<RuntimeServers>;
  /** Answer requests with `CUSTOMIZATION_NOT_LOADED` and this reason, until code loads. */
  explainAbsence(reason: CloudError): void;
  /** A token for the agent's REST API, valid for an hour. */
  issueAgentToken(): Promise<string>;
  /** A token for the MCP server (its own audience), valid for an hour. */
  issueMcpToken(): Promise<string>;
  /**
   * How the loaded model would carry out the list request `GET /<collection>?<query>`, without any restriction by rights.
   */
  explain(collection: string, query: string): Promise<ExplainedQuery>;
  /** The rights of a user on a collection of the loaded model, as the platform says now. */
  explainPermissions(question: PermissionQuestion): Promise<ExplainedPermissions>;
  /** Text of a typings file of what a user sees, by id or e-mail address, as the platform says now. */
  typingsFor(user: string): Promise<string>;
  openConnections(): number;
  /** Text that changes when the tables, columns or keys of any of the databases do. */
  catalogueFingerprint(): Promise<string>;
  /** Log the time zones for which a database has other rules than Node.js. */
  warnOfZones(): Promise<void>;
  /** Stop accepting, let requests in flight end for `drainMs`, close servers and databases. */
  stop(drainMs: number): Promise<void>;
}
