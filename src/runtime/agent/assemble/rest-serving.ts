import type { Logger } from '#kernel/ports/logger';
import { createMountGate, type MountGate } from '../../surfaces/mounts/mount-gate.ts';
import { type AgentState, createAgentStateHolder } from '../../surfaces/request/agent-state.ts';
import { createIpFilter } from '../../surfaces/request/ip-filter.ts';
import { createSealedSignIns } from '../../surfaces/sign-in/sealed-sign-in.ts';
import { createSessionTokens } from '../../surfaces/sign-in/session-token.ts';
import { callbackPath, createSignIn } from '../../surfaces/sign-in/sign-in.ts';
import type { StandaloneMount } from '../options/agent-declarations.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import { type ListeningServer, openRest, type RestApplication } from '../serve/agent-servers.ts';
import { createAgentOutbox } from './agent-outbox.ts';
import type { AgentPorts } from './agent-ports.ts';
import type { PlatformConnection } from './platform-connection.ts';

/** What answers for an embedded agent: one REST application, behind a server of its own and behind every mount. */
export interface RestServing {
  /** Where applications that the agent is mounted on hand over their requests. */
  readonly gate: MountGate;
  /** Port of the server of its own, while there is one. */
  readonly port: number | undefined;
  /** Serve this state from now on. `whenUnused` is over when no request uses the one before any more. */
  swap(next: AgentState): Promise<{ readonly whenUnused: Promise<void> }>;
  /** Open the server of its own. */
  listen(mount: StandaloneMount): Promise<void>;
  /** Take no more requests; those in flight get `drainMs` to end. */
  stop(drainMs: number): Promise<void>;
}

export function createRestServing(
  options: ParsedAgentOptions,
  ports: AgentPorts,
  platform: PlatformConnection,
  logger: Logger,
): RestServing {
  const states = createAgentStateHolder();
  const tokens = createSessionTokens(options.authSecret, ports.clock);
  const ipFilter = createIpFilter(platform, ports.clock, logger, platform.standIn);
  const activities = createAgentOutbox(options, ports, platform, logger);
  const gate = createMountGate(options.prefix);
  let application: RestApplication | undefined;
  let server: ListeningServer | undefined;
  const signIn = createSignIn({
    platform,
    tokens,
    sealed: createSealedSignIns(options.authSecret, ports.clock),
    random: ports.random,
    callbackUrl: () => (server && isReachable(server.url) ? `${server.url}${callbackPath}` : undefined),
  });

  const open = async () => {
    const shared = { states, tokens, signIn, ipFilter, activities, logger, random: ports.random };
    application ??= await openRest({ ...restOptions(options), ...shared });
    activities?.start();
    gate.open(application.answer);
    return application;
  };

  return {
    gate,
    get port() {
      return server?.port;
    },
    swap: async (next) => {
      await open();
      return { whenUnused: states.swap(next) };
    },
    listen: async (mount) => {
      const { listen } = await open();
      server = await listen(mount);
      logger.log('Info', `The agent listens on ${server.url}`);
    },
    stop: async (drainMs) => {
      const drainedAt = ports.clock.monotonicMs() + drainMs;
      gate.close();
      await Promise.all([server?.stop(drainMs), gate.drain(drainMs)]);
      // A request is over, and what became of it told, a moment after its connection.
      await states.swap(undefined);
      await activities?.stop(drainedAt - ports.clock.monotonicMs());
      server = undefined;
    },
  };
}

/** A server that listens on every address of the machine has none that a browser could come back to. */
function isReachable(url: string): boolean {
  return !['0.0.0.0', '[::]'].includes(new URL(url).hostname);
}

function restOptions(options: ParsedAgentOptions) {
  const { prefix, allowedOrigins, limitExportSize, maxBodySize, bodyParserOptions } = options;
  const { jsonLimit = maxBodySize, formLimit } = bodyParserOptions;
  return {
    prefix,
    allowedOrigins: new Set(allowedOrigins),
    exportLimit: limitExportSize ?? undefined,
    bodyLimits: { jsonBytes: jsonLimit, formBytes: formLimit },
    customizeErrorMessage: options.customizeErrorMessage,
    limits: options.limits,
    telemetry: options.telemetry,
  };
}
