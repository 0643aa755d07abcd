import type { ExplainedPermissions } from '../permissions/explained-permissions.ts';
import type { ExplainedQuery } from '../records/request/explained-query.ts';
import type { PermissionQuestion } from './explain/explain-permissions.ts';

export interface LoadResult {
  /** Text of the typings file that belongs to the model. */
  readonly typings: string;
  /** Names of the published collections. */
  readonly collections: readonly string[];
  /** What of the databases is left out, and why; one sentence each. */
  readonly warnings: readonly string[];
}

/** The running agent, as the dev loop drives it: servers and database connections outlive every load. */
export interface AgentRuntime {
  /**
   * Declare, compile, self-test, swap. `customize` comes from user code and is checked: a function that takes the `Agent` and may be async. Rejects with `CUSTOMIZATION_…` and leaves the last good model serving when any
   * of them fails. The first load must succeed before anything is served.
   */
  load(customize: unknown): Promise<LoadResult>;
  /** Listen; resolves with the addresses. Ports that were not asked for by number fall back to a free one when busy. */
  listen(): Promise<{ readonly agentUrl: string; readonly mcpUrl: string }>;
  /** A token for the agent's REST API, valid for an hour. */
  issueAgentToken(): Promise<string>;
  /** A token for the MCP server (its own audience), valid for an hour. */
  issueMcpToken(): Promise<string>;
  /** How the list request `GET /<collection>?<query>` would be carried out by what is loaded; nobody's rights restrict it. */
  explain(collection: string, query: string): Promise<ExplainedQuery>;
  /** What somebody may do with a collection of what is loaded, as the platform says now. */
  explainPermissions(question: PermissionQuestion): Promise<ExplainedPermissions>;
  openConnections(): number;
  /** Text that changes when the tables, columns or keys of any of the databases do. */
  catalogueFingerprint(): Promise<string>;
  /** Stop accepting, let requests in flight end for `drainMs`, close servers and databases. */
  stop(drainMs: number): Promise<void>;
}
