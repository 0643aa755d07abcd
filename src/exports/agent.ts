/**
 * The agent as a library, for a server of your own.
 *
 * @module @vendor/cloud/agent
 */

import { enabledToolsVariable, readOnlyVariable } from '#contracts/mcp';
import { proxiesFrom } from '#kernel/environment/proxies';
import { processEnvironment, readVariable } from '#node/environment/process-environment';
import { nodeFileSystem } from '#node/files/node-file-system';
import { createHttp } from '#node/http/http-client';
import { packageVersion } from '#node/system/package-files';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { limitYoungGeneration } from '#node/system/thread-memory';
import { connectAgent } from '#platform-client/connect-agent';
import {
  type AgentOptions,
  type AnySchema,
  createAgentOn,
  type EmbeddedAgent,
  formatLogLine,
  type SchemaShape,
} from '#runtime/index';

export {
  type AgentOptions,
  type AggregateQuery,
  type AggregateRow,
  type Aggregation,
  type BodyParserOptions,
  type CollectionFlattening,
  type CollectionSchema,
  type CollectionSelection,
  type ColumnSchema,
  ConditionTreeBranch,
  ConditionTreeFactory,
  ConditionTreeLeaf,
  createMemoryDataSource,
  createMongoDataSource,
  createSqlDataSource,
  type DataSource,
  type DataSourceFactory,
  type EmbeddedAgent,
  type ExperimentalOptions,
  type FieldSchema,
  Filter,
  type FilterOptions,
  type JoinPairs,
  type ListQuery,
  type ListTemplate,
  type LogFunction,
  type McpOptions,
  type MemoryCollection,
  type MemoryColumn,
  type MemorySchema,
  type MongoDataSourceOptions,
  type Page,
  type PreparedList,
  Projection,
  type QueryContext,
  type QueryPlan,
  type RecordStore,
  type RelationSchema,
  type RequestLimitOptions,
  type RestOptions,
  type SortClause,
  type SqlDataSourceOptions,
  type Telemetry,
  type TelemetryMeter,
  type TelemetryTracer,
  type TransactionalStore,
} from '#runtime/index';
// What customizations are written with.
export * from './index.ts';

/**
 * An agent for an application of your own. Nothing is opened, and nothing heavy loaded, before it is started.
 *
 * @example
 * const agent = createAgent({ authSecret, envSecret })
 *   .addDataSource(createSqlDataSource('sqlite:./shop.sqlite'))
 *   .mountOnStandaloneServer(3351);
 * await agent.start();
 *
 * @throws `AGENT_OPTION_INVALID`
 */
export function createAgent<S extends SchemaShape<S> = AnySchema>(options: AgentOptions): EmbeddedAgent<S> {
  return createAgentOn<S>(
    {
      fs: nodeFileSystem,
      clock: systemClock,
      random: systemRandom,
      serverUrl: readVariable('SERVICE_SERVER_URL'),
      mcpServerUrl: readVariable('SERVICE_MCP_SERVER_URL'),
      mcpEnabledTools: processEnvironment.variables[enabledToolsVariable],
      mcpReadOnly: processEnvironment.variables[readOnlyVariable],
      port: processEnvironment.variables['PORT'] || undefined,
      log: (level, message, fields) => {
        process.stderr.write(formatLogLine(new Date(), level, message, fields));
      },
      workingFolder: processEnvironment.workingFolder,
      version: packageVersion(),
      limitMemory: limitYoungGeneration,
      connectPlatform: (serverUrl, envSecret) => {
        const http = createHttp({
          clock: systemClock,
          random: systemRandom,
          ...proxiesFrom(processEnvironment.variables),
        });
        return connectAgent(serverUrl, envSecret, http, systemRandom);
      },
    },
    options,
  );
}
