import path from 'node:path';
import type { AgentTokenClaims } from '#contracts/agent-token';
import { mcpScopes, type ToolName } from '#contracts/mcp';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { WantedPort } from '#kernel/ports/tcp';
import type { DataSource, DataSourceFactory, SuggestedSettings } from '../data-sources/interface/data-source.ts';
import type { PeerGroup } from '../insights/peer-counts.ts';
import { patternsOfChecks, patternWarnings } from '../model/slow-patterns.ts';
import { guessWarnings } from '../model/untrusted-fields.ts';
import type { SafetyOptions } from '../surfaces/mcp/safeguards/safeguards.ts';
import { publicErrorOf } from '../surfaces/request/public-error.ts';
import { createTypingsRenderer } from '../typings/render-typings.ts';
import type { AgentRuntime } from './agent-runtime.ts';
import type { AgentPorts } from './assemble/agent-ports.ts';
import { hashOfSchema, schemaOf, withWebhookOrigins } from './assemble/model-publisher.ts';
import { dataSourceWarnings } from './assemble/opened-data-sources.ts';
import { outlineTables } from './assemble/outline-tables.ts';
import { assembleAgent } from './assemble-agent.ts';
import { type AgentOptions, parseAgentOptions } from './options/agent-options.ts';

export { loadRest } from './serve/agent-servers.ts';

type OptionsOfProject =
  | 'isProduction'
  | 'schemaPath'
  | 'typingsPath'
  | 'typingsMaxDepth'
  | 'skipSchemaUpdate'
  | 'activityOutbox';

/** The options of `createAgent`, but those that the project decides on. Defaults are the same. */
export interface AgentRuntimeOptions extends Omit<AgentOptions, OptionsOfProject> {
  /** Data sources by their names in the project. */
  readonly dataSources: Readonly<Record<string, DataSourceFactory>>;
  /**
   * Folder for what outlives the agent: reports that wait for the platform, and the permissions to use while it is away.
   * `null` keeps and reports nothing.
   */
  readonly stateFolder: string | null;
  /** The person that the tokens issued here belong to. */
  readonly identity: AgentTokenClaims;
  /** Whether a model reads from its databases before it is served. Default `true`. */
  readonly isSelfTested?: boolean;
  /** Whether code is taken that cannot be tried because a database is away. Default false. */
  readonly mayDatabasesBeAway?: boolean;
  /** Whether the report of a write is on the disk before its answer. Default true. */
  readonly durableWrites?: boolean;
  /** Address to bind. Default `127.0.0.1`. */
  readonly host?: string;
  readonly agentPort: WantedPort;
  readonly mcpPort: WantedPort;
  /** The tools of the MCP server. Default: the ten of the specification. */
  readonly mcpTools?: readonly ToolName[] | undefined;
  /** How careful the MCP server is. */
  readonly mcpSafety?: SafetyOptions | undefined;
  /** The threads that serve the same program. */
  readonly peers?: PeerGroup | undefined;
}

/**
 * An agent that serves one project: loads its code again and again under servers and connections that stay. It writes no
 * schema file and sends none.
 *
 * @throws `AGENT_OPTION_INVALID`
 */
export function createAgentRuntime(ports: AgentPorts, options: AgentRuntimeOptions): AgentRuntime {
  const { dataSources, stateFolder, durableWrites, identity, isSelfTested = true, ...others } = options;
  const { mayDatabasesBeAway = false, host = '127.0.0.1', ...served } = others;
  const { agentPort, mcpPort, mcpTools, mcpSafety, peers, ...agentOptions } = served;
  const parsed = parseAgentOptions({
    ...agentOptions,
    skipSchemaUpdate: true,
    activityOutbox: stateFolder === null ? false : { folder: path.join(stateFolder, 'activity'), durableWrites },
  });
  const { lifecycle, serving, activities, parameters, sessionTokens, mcpTokens, explainer, states } = assembleAgent(
    parsed,
    ports,
    {
      permissionFolder: stateFolder,
      selfTest: isSelfTested ? { identity, mayDatabasesBeAway } : undefined,
      ...{ mcpTools, mcpSafety, peers },
    },
  );
  let current = dataSources;
  const renderTypings = createTypingsRenderer();
  const loaded = () => {
    if (lifecycle.loaded) return lifecycle.loaded;
    throw new TypeError('There is neither a model nor an open database before code has loaded.');
  };

  return {
    load: async (customize, replaced, { isLenient = false, dashboards = [], codeVersion } = {}) => {
      const wanted = replaced ?? current;
      const program = { factories: Object.values(wanted), customize, isLenient, dashboards, codeVersion };
      const { model, sources: opened } = await lifecycle.load(program, replaced ? 'reopen' : 'keep');
      current = wanted;
      const sources = await opened.get();
      return {
        collections: [...model.collections.keys()],
        warnings: [...sources.flatMap(dataSourceWarnings), ...patternWarnings(model)],
        suggestedSettings: suggestionsByName(Object.keys(wanted), sources),
      };
    },
    requireRecords: (isRequired) => activities?.require(isRequired),
    setRest: (settings) => {
      parameters.settings = settings;
    },
    tables: async () => outlineTables(await loaded().sources.get()),
    warningsOfCheck: async (asksDatabases) => {
      const patterns = asksDatabases ? await patternsOfChecks(await loaded().sources.get()) : [];
      return [...patterns, ...guessWarnings(loaded().model)];
    },
    schema: () => withWebhookOrigins(schemaOf(loaded().model, parsed, ports.version), parameters.settings),
    schemaHash: () => hashOfSchema(loaded().model, parsed, parameters.settings),
    typings: () => renderTypings(loaded().model.original),
    listen: async (reachedAt) => {
      await lifecycle.serve({
        rest: { host, port: agentPort, reachedAt: reachedAt?.agent },
        mcp: { host, port: mcpPort, reachedAt: reachedAt?.mcp },
      });
      const { rest, mcp } = serving.listening;
      if (!rest || !mcp) throw new TypeError('The agent was stopped while it began to listen.');
      return { agentUrl: rest.url, mcpUrl: mcp.url, ports: { agent: rest.port, mcp: mcp.port } };
    },
    explainAbsence: (reason) => states.explainAbsence(notLoaded(reason)),
    issueAgentToken: () => sessionTokens.issue(identity),
    issueMcpToken: async () => {
      if (serving.mcpResource === undefined)
        throw new TypeError('The tokens of the MCP server name its address; it does not listen yet.');
      return mcpTokens.issue(identity, serving.mcpResource, mcpScopes);
    },
    explain: (collection, query) => explainer.request(identity, collection, query),
    explainPermissions: explainer.permissions,
    typingsFor: explainer.typings,
    openConnections: () => lifecycle.loaded?.sources.openConnections() ?? 0,
    catalogueFingerprint: () => loaded().sources.fingerprint(),
    warnOfZones: () => loaded().sources.warnOfZones(),
    stop: (drainMs) => lifecycle.stop(drainMs),
  };
}

/** The suggested settings of each data source that has any. `names` and `sources` have the same order. */
function suggestionsByName(
  names: readonly string[],
  sources: readonly DataSource[],
): Readonly<Record<string, SuggestedSettings>> {
  const suggestions = sources.flatMap(({ suggestedSettings: suggested }, index) => {
    const isEmpty = !suggested || Object.values(suggested).every((tables) => Object.keys(tables).length === 0);
    return isEmpty ? [] : [[names[index] ?? '', suggested] as const];
  });
  return Object.fromEntries(suggestions);
}

/** No words of user code: the developer reads those in the terminal. */
function notLoaded(reason: CloudError): CloudError {
  const { detail, code } = publicErrorOf(reason);
  return cloudError(
    'CUSTOMIZATION_NOT_LOADED',
    `The agent has no code that loads (${code}): ${detail}`,
    'Look at the terminal of vendor-cloud dev for the place, correct the code and save it.',
    { cause: reason },
  );
}
