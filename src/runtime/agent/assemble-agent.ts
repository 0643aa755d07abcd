import { hash } from 'node:crypto';
import type { ToolName } from '#contracts/mcp';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import { createActReporter } from '../activity/act-reporter.ts';
import type { ActivityOutbox } from '../activity/activity-outbox.ts';
import { createAiService } from '../ai/ai-service.ts';
import type { AiSettings } from '../ai/ai-settings.ts';
import { createInsightsReader } from '../insights/create-insights.ts';
import { joinPeers, ownCounts, type PeerGroup } from '../insights/peer-counts.ts';
import { QueryRecorder } from '../insights/query-recorder.ts';
import { createSignedApprovals } from '../permissions/signed-approvals.ts';
import { createMcpTokens, type McpTokens } from '../surfaces/mcp/mcp-token.ts';
import type { SafetyOptions } from '../surfaces/mcp/safeguards/safeguards.ts';
import { createMountGate, type MountGate } from '../surfaces/mounts/mount-gate.ts';
import { type AgentStateHolder, createAgentStateHolder } from '../surfaces/request/agent-state.ts';
import { createAiAccess } from '../surfaces/request/ai-access.ts';
import { type ApprovalRequestParts, PlatformApprovals } from '../surfaces/request/approval-requests.ts';
import { createIpFilter } from '../surfaces/request/ip-filter.ts';
import type { AskMcp } from '../surfaces/request/mcp-asker.ts';
import { createPageCursors } from '../surfaces/request/page-cursors.ts';
import { ParameterRules } from '../surfaces/request/parameter-rules.ts';
import { ProgramLimits } from '../surfaces/request/program-limits.ts';
import { createRateCounter } from '../surfaces/request/rate-counter.ts';
import { ReadPositions } from '../surfaces/request/read-positions.ts';
import { createRecordHistories } from '../surfaces/request/record-histories.ts';
import { PlatformNotes } from '../surfaces/request/record-notes.ts';
import { SlowRequests } from '../surfaces/request/request-limits.ts';
import { createSealedSignIns } from '../surfaces/sign-in/sealed-sign-in.ts';
import {
  createEndedSessionList,
  createSessionTokens,
  derivedKey,
  type SessionTokens,
} from '../surfaces/sign-in/session-tokens.ts';
import { callbackPath, createSignIn } from '../surfaces/sign-in/sign-in.ts';
import { invalidOption } from '../user-code/refused-options.ts';
import { createAgentOutbox } from './assemble/agent-outbox.ts';
import { createAgentPermissions } from './assemble/agent-permissions.ts';
import type { AgentPlatform } from './assemble/agent-platform.ts';
import type { AgentPorts } from './assemble/agent-ports.ts';
import { createAgentTokenExchange } from './assemble/agent-token-exchange.ts';
import { createAgentState } from './assemble/create-agent-state.ts';
import { mcpSurfaces } from './assemble/mcp-surfaces.ts';
import { createModelBuilder } from './assemble/model-builder.ts';
import { createModelPublisher } from './assemble/model-publisher.ts';
import { createNoCodeSource } from './assemble/no-code-source.ts';
import type { SelfTestOptions } from './assemble/self-test.ts';
import { type AgentExplainer, createAgentExplainer } from './explain/agent-explainer.ts';
import { type AgentLifecycle, createAgentLifecycle } from './lifecycle/agent-lifecycle.ts';
import { createModelLoader } from './lifecycle/model-loader.ts';
import type { ParsedAgentOptions } from './options/agent-options.ts';
import { createLevelLogger } from './options/log-lines.ts';
import { restOptionsOf } from './options/rest-options.ts';
import { type AgentServing, createAgentServing } from './serve/agent-serving.ts';

const localPlatform = 'http://127.0.0.1:3310';

/** How one kind of agent differs from another. All else is the same for all of them. */
export interface AgentSetup {
  /** Folder of the permissions to use while the platform is away; `null` keeps none, and requests fail then. */
  readonly permissionFolder: string | null;
  /** How each model is tested; without it, models are served untested. */
  readonly selfTest: SelfTestOptions | undefined;
  /** The tools of the MCP server. Default: the ten of the specification. */
  readonly mcpTools?: readonly ToolName[] | undefined;
  /** How careful the MCP server is. */
  readonly mcpSafety?: SafetyOptions | undefined;
  /** The threads that serve the same program; without them the agent counts for itself. */
  readonly peers?: PeerGroup | undefined;
}

export interface AssembledAgent {
  readonly lifecycle: AgentLifecycle;
  readonly serving: AgentServing;
  /** Takes the requests of the applications that the agent is mounted on. */
  readonly gate: MountGate;
  /** `undefined` where nothing is reported. */
  readonly activities: ActivityOutbox | undefined;
  readonly parameters: ParameterRules;
  readonly sessionTokens: SessionTokens;
  readonly mcpTokens: McpTokens;
  readonly explainer: AgentExplainer;
  readonly states: AgentStateHolder;
}

/**
 * Put an agent together. Nothing is opened and nothing asked before its life cycle begins. Every agent has these parts,
 * whether an application embeds it or `dev` runs it:
 *
 * ```
 * platform ─▶ permissions (events, stand-in) ─▶ authoriser ─┐
 *        └─▶ no-code actions ─┐                             ▼
 * program ────────────────────┴▶ model ─▶ publisher ─▶ state: services of the model ─▶ REST, MCP, explain
 *                                                          ▲
 * tokens, sign-in, IP rules, activity outbox ──────────────┘ (around each request)
 * ```
 */
export function assembleAgent(options: ParsedAgentOptions, ports: AgentPorts, setup: AgentSetup): AssembledAgent {
  const { authSecret, envSecret, prefix } = options;
  const { clock, random, version, workingFolder: projectRoot } = ports;
  const logger = createLevelLogger(options.logger ?? ports.log, options.loggerLevel, ports.log);

  // The platform: who may do what, and the actions that are made there.
  const { serverUrl, requireConfigured } = platformAddress(options, ports);
  const platform = ports.connectPlatform(serverUrl, envSecret);
  const place = { platform, serverUrl, folder: setup.permissionFolder };
  const permissions = createAgentPermissions(options, place, ports, logger);
  const approvals = createSignedApprovals(envSecret, platform, clock, random);
  const noCode = createNoCodeSource(options, platform, requireConfigured, logger);

  // Turn a program into the state that requests use.
  const build = createModelBuilder({ ...options, noCode, projectRoot, selfTest: setup.selfTest, logger });
  const publisher = createModelPublisher(options, ports, platform, logger);
  const states = createAgentStateHolder();
  const aiCalls = createRateCounter(clock);
  const aiOf = (settings: AiSettings) => createAiAccess(createAiService(settings, clock, logger), aiCalls);
  const recorder = new QueryRecorder(clock);
  const counted = () => recorder.counts();
  const peers = setup.peers && joinPeers(setup.peers, counted);
  const insights = createInsightsReader(peers?.gather ?? ownCounts(counted), setup.peers?.host);
  const services = { ...permissions, approvals, prefix, logger, aiOf, recorder };
  const loader = createModelLoader({ build, publisher, states, stateOf: (model) => createAgentState(model, services) });
  const explainer = createAgentExplainer(states, platform, clock);

  // Around each request: who calls, from where, and what is reported of it.
  const endedSessions = createEndedSessionList(platform, clock, permissions.standIn);
  const tokens = createSessionTokens(authSecret, clock, endedSessions.hasEnded);
  const mcpTokens = createMcpTokens(authSecret, clock, random, endedSessions.hasEnded);
  const sealed = createSealedSignIns(authSecret, clock);
  const signIn = createSignIn({ platform, tokens, sealed, random, callbackUrl: () => callbackUrlOf(serving), logger });
  const mcpResource = () => serving.mcpResource;
  const tokenExchange = createAgentTokenExchange({ platform, tokens, mcpTokens, mcpResource });
  const askMcp: AskMcp = (...asked) => serving.askMcp(...asked);
  const ipFilter = createIpFilter(platform, clock, logger, permissions.standIn);
  const activities = createAgentOutbox(options, ports, platform, serverUrl, logger);

  // The surfaces.
  const parameters = new ParameterRules(options.rest);
  const aroundRequests = { ...restOptionsOf(options), parameters, tokens, signIn, tokenExchange, ipFilter };
  const gate = createMountGate(prefix);
  const shared = { states, ...partsOfSurfaces(options, activities, { clock, platform, random, logger }), insights };
  const serving: AgentServing = createAgentServing({
    rest: { ...shared, ...aroundRequests, askMcp, explainRights: explainer.permissions },
    mcp: {
      createSurface: mcpSurfaces(options, { ...shared, platform, clock, mcpTokens, ipFilter, version, endedSessions }),
      ownSettings: { basePath: '', enabledTools: setup.mcpTools, safety: setup.mcpSafety },
      ownUrl: ports.mcpServerUrl,
      publicUrl: () => publicUrlOf(platform, ports, logger),
      isProduction: options.isProduction,
    },
    gate,
    logger,
  });

  const lifecycle = createAgentLifecycle({
    loader,
    serving,
    activities,
    followChanges: (onCustomizations) => permissions.follow({ onCustomizations, ipRules: ipFilter, endedSessions }),
    takesCustomizations: noCode.isOn,
    requirePlatform: requireConfigured,
    leavePlatform: async () => {
      publisher.close();
      peers?.close();
      await permissions.close();
      await platform.close();
    },
    clock,
    logger,
  });
  return { lifecycle, serving, gate, activities, parameters, sessionTokens: tokens, mcpTokens, explainer, states };
}

/** What the surfaces share. All agents with the same secret take each other's cursors. */
function partsOfSurfaces(
  { authSecret, envSecret, limits }: ParsedAgentOptions,
  activities: ActivityOutbox | undefined,
  {
    clock,
    platform,
    ...ports
  }: Omit<ApprovalRequestParts, 'reporter' | 'platform'> & {
    readonly clock: Clock;
    readonly platform: AgentPlatform;
  },
) {
  const reporter = createActReporter(activities);
  return {
    ...ports,
    cursors: createPageCursors(derivedKey(authSecret, 'page cursor')),
    // Environments may have one auth secret; each has an environment secret of its own.
    readPositions: new ReadPositions(derivedKey(authSecret, `read position ${hash('sha256', envSecret)}`)),
    reporter,
    approvals: new PlatformApprovals({ ...ports, platform, reporter }),
    histories: createRecordHistories(platform, reporter),
    notes: new PlatformNotes({ platform, random: ports.random }),
    slowRequests: new SlowRequests(limits),
    programLimits: new ProgramLimits(clock),
  };
}

interface PlatformAddress {
  readonly serverUrl: string;
  /** Throws `AGENT_OPTION_INVALID` in production where nobody has named a platform: a local one is never that of production. */
  requireConfigured(): void;
}

function platformAddress({ serverUrl, isProduction }: ParsedAgentOptions, ports: AgentPorts): PlatformAddress {
  const configured = serverUrl ?? ports.serverUrl;
  return {
    serverUrl: configured ?? localPlatform,
    requireConfigured: () => {
      if (configured !== undefined || !isProduction) return;
      throw invalidOption('serverUrl', 'production needs the address of a platform, here or in SERVICE_SERVER_URL');
    },
  };
}

/** The address of the environment on the platform, else that of the machine's settings. */
async function publicUrlOf(
  platform: AgentPlatform,
  { mcpServerUrl }: AgentPorts,
  logger: Logger,
): Promise<string | undefined> {
  try {
    const { data } = await platform.environment();
    return data.attributes.api_endpoint ?? mcpServerUrl;
  } catch (error) {
    logger.log('Warn', 'The platform could not be asked for the public address of the agent.', { error });
    return mcpServerUrl;
  }
}

/** The address that browsers come back to from a sign-in; `undefined` when the agent does not know its own. */
function callbackUrlOf({ listening }: AgentServing): string | undefined {
  const url = listening.rest?.url;
  if (url === undefined) return undefined;
  // A server that listens on every address of the machine has none of its own.
  return ['0.0.0.0', '[::]'].includes(new URL(url).hostname) ? undefined : `${url}${callbackPath}`;
}
