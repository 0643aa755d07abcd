import type { AgentTokenClaims } from '#contracts/agent-token';
import type { PortWish } from '#host/http/listen-on-port';
import { createTaskQueue } from '#kernel/async/task-queue';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import { type ActivityOutbox, type ActivityOutboxOptions, createActivityOutbox } from '../activity/activity-outbox.ts';
import { compileModel } from '../compile/compile-model.ts';
import type { DataSourceFactory } from '../data-sources/interface/data-source.ts';
import type { CompiledModel } from '../model/compiled-model.ts';
import { createAuthoriser } from '../permissions/create-authoriser.ts';
import { createPermissionDocuments } from '../permissions/permission-documents.ts';
import type { PermissionSource } from '../permissions/permission-source.ts';
import { createSignedApprovals } from '../permissions/signed-approvals.ts';
import { createMcpTokens } from '../surfaces/mcp/mcp-token.ts';
import { createAgentStateHolder } from '../surfaces/request/agent-state.ts';
import { createIpFilter, type IpRuleSource } from '../surfaces/request/ip-filter.ts';
import { createSealedSignIns } from '../surfaces/sign-in/sealed-sign-in.ts';
import { createSessionTokens, type SessionTokens } from '../surfaces/sign-in/session-token.ts';
import { callbackPath, createSignIn, type SignIn } from '../surfaces/sign-in/sign-in.ts';
import type { SignInPlatform } from '../surfaces/sign-in/sign-in-platform.ts';
import { renderTypings } from '../typings/render-typings.ts';
import type { AgentRuntime, LoadResult } from './agent-runtime.ts';
import { createAgentState } from './assemble/create-agent-state.ts';
import { createOpenedDataSources } from './assemble/opened-data-sources.ts';
import { runCustomization } from './assemble/run-customization.ts';
import { selfTest } from './assemble/self-test.ts';
import { explainPermissions } from './explain/explain-permissions.ts';
import { explainRequest } from './explain/explain-request.ts';
import { type ListeningServer, listenMcp, openRest } from './serve/agent-servers.ts';

export interface AgentRuntimeOptions {
  /** By the names the project gives them. */
  readonly dataSources: Readonly<Record<string, DataSourceFactory>>;
  /** Signs the tokens of the REST API; the key of the MCP tokens is derived from it. */
  readonly authSecret: string;
  /** Secret of the environment: what the platform signs approvals with. */
  readonly envSecret: string;
  /** Path the REST API is below. Default `/service`. */
  readonly prefix?: string;
  readonly platform: PermissionSource;
  /** Where people sign in; without it tokens are only issued here. */
  readonly signIn?: SignInPlatform;
  /** From where the agent may be reached; without it from anywhere. */
  readonly ipRules?: IpRuleSource;
  /** Where what people do is reported, and the folder that holds it meanwhile; without it nothing is. */
  readonly activity?: Pick<ActivityOutboxOptions, 'platform' | 'serverUrl' | 'folder'> | undefined;
  /** Who the tokens that are issued here speak for. */
  readonly identity: AgentTokenClaims;
  /** Address to bind. Default `127.0.0.1`. */
  readonly host?: string;
  readonly agentPort: PortWish;
  readonly mcpPort: PortWish;
  /** Origins whose pages may use the session cookie. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** How many records an export holds at most; default: all. */
  readonly exportLimit?: number;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly version: string;
  /** Folder of the user's code, to say where in it an error came from. */
  readonly projectRoot?: string;
}

interface Servers {
  readonly rest: ListeningServer;
  readonly mcp: ListeningServer;
}

/** An agent that serves one project: loads its code again and again under servers and connections that stay. */
export function createAgentRuntime(options: AgentRuntimeOptions): AgentRuntime {
  const { authSecret, envSecret, identity, logger, clock, random } = options;
  const sources = createOpenedDataSources(Object.values(options.dataSources), logger);
  const states = createAgentStateHolder();
  const documents = createPermissionDocuments(options.platform, clock);
  const authoriser = createAuthoriser(documents);
  const sessionTokens = createSessionTokens(authSecret, clock);
  const approvals = createSignedApprovals(envSecret, clock);
  const mcpTokens = createMcpTokens(authSecret, clock, random);
  const activities =
    options.activity && createActivityOutbox({ ...options.activity, envSecret, logger, clock, random });
  let servers: Promise<Servers> | undefined;
  const report = (message: string, error: unknown) => logger.log('Error', message, { error });
  // Loads come one after the other: what was asked for last is what is served in the end.
  const inTurn = createTaskQueue();

  const load = async (customize: unknown): Promise<LoadResult> => {
    const dataSources = await sources.get();
    const declarations = await runCustomization(customize, options.projectRoot);
    const model = compileModel(dataSources, declarations);
    await selfTest(model, identity, options.projectRoot);
    // Requests in flight keep the state they began with; nothing has to wait for them.
    void states.swap(createAgentState(model, authoriser, approvals, report));
    return {
      typings: renderTypings(model.original),
      collections: [...model.collections.keys()],
      warnings: dataSources.flatMap((source) => source.warnings ?? []),
    };
  };

  return {
    load: (customize) => inTurn(() => load(customize)),
    listen: async () => {
      activities?.start();
      servers ??= listenBoth(options, { states, sessionTokens, mcpTokens, activities });
      const { rest, mcp } = await servers.catch((error: unknown) => {
        servers = undefined;
        throw error;
      });
      return { agentUrl: rest.url, mcpUrl: mcp.url };
    },
    issueAgentToken: () => sessionTokens.issue(identity),
    issueMcpToken: async () => {
      const listening = await servers;
      if (!listening)
        throw new TypeError('The address of the MCP server, which its tokens name, is known once it listens.');
      return mcpTokens.issue(identity, listening.mcp.url);
    },
    explain: (collection, query) => withLoaded(states, (model) => explainRequest(model, identity, collection, query)),
    explainPermissions: (question) =>
      withLoaded(states, (model) => explainPermissions(model, documents.fresh, question)),
    openConnections: () => sources.openConnections(),
    catalogueFingerprint: () => sources.fingerprint(),
    stop: async (drainMs) => {
      const drainedAt = clock.monotonicMs() + drainMs;
      const listening = await servers?.catch(() => undefined);
      servers = undefined;
      if (listening) await Promise.all([listening.rest.stop(drainMs), listening.mcp.stop(drainMs)]);
      // A request is over, and what became of it told, a moment after its connection.
      await states.swap(undefined);
      await activities?.stop(drainedAt - clock.monotonicMs());
      await inTurn(() => sources.close());
    },
  };
}

async function withLoaded<Result>(
  states: ReturnType<typeof createAgentStateHolder>,
  work: (model: CompiledModel) => Promise<Result>,
): Promise<Result> {
  const inUse = states.acquire();
  if (!inUse) throw new TypeError('Nothing can be explained before code has loaded.');
  try {
    return await work(inUse.state.model);
  } finally {
    inUse.release();
  }
}

interface Serving {
  readonly states: ReturnType<typeof createAgentStateHolder>;
  readonly sessionTokens: ReturnType<typeof createSessionTokens>;
  readonly mcpTokens: ReturnType<typeof createMcpTokens>;
  readonly activities: ActivityOutbox | undefined;
}

function signInOf(
  { signIn: platform, authSecret, clock, random }: AgentRuntimeOptions,
  tokens: SessionTokens,
  callbackUrl: () => string,
): SignIn | undefined {
  const sealed = createSealedSignIns(authSecret, clock);
  return platform && createSignIn({ platform, tokens, sealed, random, callbackUrl });
}

/** Both servers or none: when one cannot listen, the other stops again. */
async function listenBoth(options: AgentRuntimeOptions, serving: Serving): Promise<Servers> {
  const { host = '127.0.0.1', prefix = '/service', allowedOrigins = [] } = options;
  const shared = { ...options, host, states: serving.states, activities: serving.activities };
  const tokens = serving.sessionTokens;
  const address = { url: '' };
  const ipFilter = options.ipRules && createIpFilter(options.ipRules, options.clock, options.logger);
  const signIn = signInOf(options, tokens, () => `${address.url}${callbackPath}`);
  const application = await openRest({
    ...shared,
    prefix,
    allowedOrigins: new Set(allowedOrigins),
    tokens,
    signIn,
    ipFilter,
  });
  const rest = await application.listen({ ...shared, port: options.agentPort });
  address.url = rest.url;
  try {
    const mcp = await listenMcp({ ...shared, port: options.mcpPort, tokens: serving.mcpTokens });
    return { rest, mcp };
  } catch (error) {
    await rest.stop(0);
    throw error;
  }
}
