import type { AgentTokenClaims } from '#contracts/agent-token';
import type { PrintedTokenOwner } from '#contracts/printed-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { SessionTokens } from './session-tokens.ts';

/** Exchanges tokens that people printed at the platform for tokens of the agent. */
export interface PrintedTokens {
  /**
   * A token of the agent, or of its MCP server with the address that it is for: whichever the printed one says. It ends when the
   * printed one does, and reads alone where that does.
   *
   * @throws `REQUEST_UNAUTHENTICATED` for a token that is no longer good, `REQUEST_NOT_FOUND` where no MCP server is served, `PLATFORM_…`.
   */
  exchange(printed: string): Promise<{ readonly token: string; readonly url?: string }>;
}

export interface PrintedTokenParts {
  readonly platform: { printedToken(token: string): Promise<PrintedTokenOwner | undefined> };
  readonly tokens: SessionTokens;
  readonly mcp: {
    /** Address of the endpoint; `undefined` if there is none, or where nobody knows it. */
    resource(): string | undefined;
    issue(claims: AgentTokenClaims, resource: string, expiresAt: number): Promise<string>;
  };
}

/** Anything else is not asked about. */
const pattern = /^vcu_[0-9a-f]{64}$/;

export function createPrintedTokens({ platform, tokens, mcp }: PrintedTokenParts): PrintedTokens {
  return {
    exchange: async (printed) => {
      const owner = pattern.test(printed) ? await platform.printedToken(printed) : undefined;
      if (!owner) throw noLongerGood();
      const { person, audience, expiresAt, readOnly } = owner;
      const claims = readOnly ? { ...person, readOnly } : person;
      if (audience === 'agent') return { token: await tokens.issue(claims, expiresAt) };
      const url = mcp.resource();
      if (url === undefined) throw noMcpServer();
      return { token: await mcp.issue(claims, url, expiresAt), url };
    },
  };
}

function noLongerGood(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The token was not printed for this agent, has expired, or was revoked.',
    'Print another one: vendor-cloud tokens print agent',
  );
}

function noMcpServer(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'The agent serves no MCP server, or does not know its address yet.',
    'Print a token for the agent: vendor-cloud tokens print agent',
  );
}
