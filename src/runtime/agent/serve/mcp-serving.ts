import type { ToolName } from '#contracts/mcp';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { McpSurface, McpSurfaceOptions } from '../../surfaces/mcp/mcp-surface.ts';
import type { SafetyOptions } from '../../surfaces/mcp/safeguards/safeguards.ts';

/** What an application decides about the MCP server of its agent. */
export interface McpSettings {
  /** Path in front of all routes, such as `/ai`; empty for none. */
  readonly basePath: string;
  /** Default: the ten of the specification. */
  readonly enabledTools: readonly ToolName[] | undefined;
  readonly safety?: SafetyOptions | undefined;
}

/** The parts that the MCP servers of an agent are made of. */
export interface McpServingOptions {
  readonly createSurface: (settings: McpSettings, place: McpSurfaceOptions['place']) => McpSurface;
  /** Of the server that has a port of its own. */
  readonly ownSettings: McpSettings;
  /** The address at which clients reach that server, where it is another one than that at which it listens. */
  readonly ownUrl: string | undefined;
  /** The address at which the platform or the environment says that clients reach the agent. */
  readonly publicUrl: () => Promise<string | undefined>;
  readonly isProduction: boolean;
}

/**
 * The address at which clients reach the MCP server that is mounted; `undefined` where nobody knows it: then the first request
 * from this machine tells.
 *
 * @param listensAt The own server of the agent, where there is one.
 * @throws `AGENT_OPTION_INVALID` for an address with a path, and in production where no address is known.
 */
export async function originOfMounted(
  { publicUrl, isProduction }: McpServingOptions,
  listensAt: string | undefined,
): Promise<string | undefined> {
  const address = (await publicUrl()) ?? listensAt;
  if (address === undefined) {
    if (isProduction) throw placeUnknown();
    return undefined;
  }
  return publicOriginOf(address);
}

/**
 * The scheme, host and port of an address at which clients reach an MCP server.
 *
 * @throws `AGENT_OPTION_INVALID` for an address that has more.
 */
export function publicOriginOf(address: string): string {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalidPlace('The public address of the agent is not an http or https address.');
  }
  const hasMore = url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '';
  if (hasMore) {
    throw invalidPlace(
      'The public address of the agent is more than scheme, host and port. The MCP server needs the root of a host.',
    );
  }
  return url.origin;
}

export function placeUnknown(): CloudError {
  return invalidPlace('The agent does not know the address at which clients of its MCP server reach it.');
}

function invalidPlace(message: string): CloudError {
  return cloudError('AGENT_OPTION_INVALID', message, [
    'Set the address of the environment on the platform, or SERVICE_MCP_SERVER_URL, to an origin such as https://admin.example.com.',
    'A path in front of the routes is the option "basePath" of mountAiMcpServer.',
  ]);
}
