export type { AgentRuntime, ReachedAt, RuntimeServers } from './agent/agent-runtime.ts';
export type { TablesOutline } from './agent/assemble/outline-tables.ts';
export {
  type CollectionSelection,
  openingNamed,
  selectCollections,
  selectNamed,
} from './agent/assemble/select-collections.ts';
export { createAgentOn } from './agent/create-agent.ts';
export { type AgentRuntimeOptions, createAgentRuntime, loadRest } from './agent/create-agent-runtime.ts';
export type { EmbeddedAgent } from './agent/embedded-agent.ts';
export type {
  AgentOptions,
  BodyParserOptions,
  ExperimentalOptions,
  LogFunction,
  RequestLimitOptions,
  RestOptions,
} from './agent/options/agent-options.ts';
export { formatLogLine } from './agent/options/log-lines.ts';
export type { McpOptions } from './agent/options/mcp-options.ts';
export type { Agent } from './customizer/agent.ts';
export type { ActionFile } from './customizer/form-value.ts';
export type { AnySchema, SchemaShape } from './customizer/schema-types.ts';
export type { RowCheck } from './data-sources/checks/row-check.ts';
export { createMongoDataSource, type MongoDataSourceOptions } from './data-sources/create-mongo-data-source.ts';
export {
  createSavedDataSource,
  loadSavedDataSource,
  readSavedDataSource,
} from './data-sources/create-saved-data-source.ts';
export { createSqlDataSource, createUriDataSource, loadUriDataSource } from './data-sources/create-sql-data-source.ts';
export type {
  AggregateQuery,
  DataSource,
  DataSourceFactory,
  ListTemplate,
  PreparedList,
  QueryContext,
  QueryPlan,
  RecordStore,
  SuggestedSettings,
  TableRules,
  TransactionalStore,
} from './data-sources/interface/data-source.ts';
export { replicaInWords } from './data-sources/interface/read-session.ts';
export { createMemoryDataSource } from './data-sources/memory/create-memory-data-source.ts';
export type { MemoryCollection, MemoryColumn, MemorySchema } from './data-sources/memory/memory-schema.ts';
export type { CollectionFlattening } from './data-sources/mongo/introspect/flatten-options.ts';
export type { SqlDataSourceOptions } from './data-sources/sql/sql-data-source-options.ts';
export type {
  ExplainedAction,
  ExplainedField,
  ExplainedPath,
  ExplainedPermissions,
  PermissionQuestion,
  Verdict,
} from './permissions/explained-permissions.ts';
export type { AggregateRow, Aggregation } from './query/aggregation.ts';
export {
  type CollectionSchema,
  type ColumnSchema,
  type FieldSchema,
  isNumberedKey,
  type JoinPairs,
  type RelationSchema,
} from './query/collection-schema.ts';
export type { ColumnType } from './query/column-type.ts';
export { ConditionTreeBranch, ConditionTreeFactory, ConditionTreeLeaf } from './query/condition-tree-factory.ts';
export { fileUriOf, parseFileUri } from './query/file-uri.ts';
export { Filter, type FilterOptions } from './query/filter.ts';
export { csvText, portableValue, readValueOf, TextUnread } from './query/portable-value.ts';
export { Projection } from './query/projection.ts';
export type { ListQuery, Page, RecordData, SortClause } from './query/record-query.ts';
export { nullDocument } from './query/stored-document.ts';
export { KeptValue, StoredForm } from './query/stored-form.ts';
export type { ExplainedQuery, ExplainedStep } from './records/request/explain-query.ts';
export { createMcpTokens } from './surfaces/mcp/mcp-token.ts';
export type { Telemetry, TelemetryMeter, TelemetryTracer } from './surfaces/request/telemetry.ts';
export { signSessionToken } from './surfaces/sign-in/session-tokens.ts';
export { customizationError } from './user-code/customization-error.ts';
export { RunOverdue, runBounded } from './user-code/deadline.ts';
export { type Bound, evaluateBundle, type LoadedBundle, prepareEvaluation } from './user-code/evaluate-bundle.ts';
export { refuseExit } from './user-code/refuse-exit.ts';
export { type RunningCode, runningCode } from './user-code/running-code.ts';
