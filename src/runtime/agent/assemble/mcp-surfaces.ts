import type { Clock } from '#kernel/ports/clock';
import { createMcpSurface, type McpSurfaceOptions } from '../../surfaces/mcp/mcp-surface.ts';
import type { McpTokens } from '../../surfaces/mcp/mcp-token.ts';
import type { McpAuthorizationOptions } from '../../surfaces/mcp/oauth/oauth-options.ts';
import { createSafeguards } from '../../surfaces/mcp/safeguards/safeguards.ts';
import type { EndedSessionList } from '../../surfaces/sign-in/session-tokens.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { McpServingOptions } from '../serve/mcp-serving.ts';
import type { AgentPlatform } from './agent-platform.ts';

/** What the MCP servers of an agent share. */
interface SharedParts
  extends Pick<
    McpSurfaceOptions,
    | 'states'
    | 'logger'
    | 'random'
    | 'reporter'
    | 'approvals'
    | 'ipFilter'
    | 'version'
    | 'cursors'
    | 'slowRequests'
    | 'programLimits'
  > {
  readonly platform: AgentPlatform;
  readonly clock: Clock;
  readonly mcpTokens: McpTokens;
  readonly endedSessions: Pick<EndedSessionList, 'isMarked'>;
}

/** Makes the MCP servers of an agent. Each has its own limits. */
export function mcpSurfaces(
  { authSecret, limits, telemetry, trustedProxies }: ParsedAgentOptions,
  { platform, clock, mcpTokens: tokens, endedSessions, ...shared }: SharedParts,
): McpServingOptions['createSurface'] {
  const { random, logger } = shared;
  const own = { authSecret, platform, clock, random, logger, browsable: browsableIn(shared.states) };
  return (settings, place) =>
    createMcpSurface({
      ...shared,
      tokens,
      ...settings,
      limits,
      telemetry,
      trustedProxies,
      safeguards: createSafeguards({ ...own, isHeardMarked: endedSessions.isMarked }, settings.safety),
      place,
      openAuthorization: mcpAuthorizationOf(own),
    });
}

/** The collections that a person may browse, with what is served now. */
function browsableIn(states: McpSurfaceOptions['states']): McpAuthorizationOptions['browsable'] {
  return async (person) => {
    const { authoriser, model } = states.current() ?? {};
    const rights = await authoriser?.rightsOf(person);
    return [...(model?.collections.keys() ?? [])].filter((name) => rights?.has(name, 'browse'));
  };
}

/** Opens the authorization server. It is loaded then, so that an agent without an MCP server never loads it. */
function mcpAuthorizationOf(
  parts: Omit<McpAuthorizationOptions, 'place' | 'fetchDocument'>,
): NonNullable<McpSurfaceOptions['openAuthorization']> {
  return async (place) => {
    const [{ createMcpAuthorization }, { createPublicFetch }] = await Promise.all([
      import('../../surfaces/mcp/oauth/mcp-authorization.ts'),
      import('#node/http/public-fetch'),
    ]);
    return createMcpAuthorization({ ...parts, place, fetchDocument: createPublicFetch() });
  };
}
