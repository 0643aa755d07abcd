import type { AgentSession, ExchangeCode, ExchangedCode } from '#contracts/agent-codes';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { PrintedTokenOwner } from '#contracts/printed-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { SessionTokens } from './session-tokens.ts';

/** Exchanges what the platform has made for people for tokens of the agent. */
export interface TokenExchange {
  /**
   * For a token that somebody printed: a token of the agent, or of its MCP server with the address that it is for: whichever the printed one says. It ends when the
   * printed one does, and reads alone where that does.
   *
   * @throws `REQUEST_UNAUTHENTICATED` for a token that is no longer good, `REQUEST_NOT_FOUND` where no MCP server is served, `PLATFORM_…`.
   */
  printed(printed: string): Promise<ExchangedToken>;
  /**
   * For the token of a service account: a token of the agent, or of its MCP server, that is good for some minutes.
   *
   * @throws as `printed` does.
   */
  serviceAccount(token: string, audience: 'agent' | 'mcp'): Promise<ExchangedToken>;
  /**
   * For a one-time code: a token of the agent, which ends with the session that the code was made in.
   *
   * @throws `REQUEST_UNAUTHENTICATED` for a code that is no longer good, `PLATFORM_…`.
   */
  code(exchange: ExchangeCode): Promise<AgentSession>;
}

interface ExchangedToken {
  readonly token: string;
  /** Address of the MCP server, for one of its tokens. */
  readonly url?: string;
}

export interface TokenExchangeParts {
  readonly platform: {
    printedToken(token: string): Promise<PrintedTokenOwner | undefined>;
    serviceAccount(token: string, audience: 'agent' | 'mcp'): Promise<PrintedTokenOwner | undefined>;
    exchangedCode(exchange: ExchangeCode): Promise<ExchangedCode | undefined>;
  };
  readonly tokens: SessionTokens;
  readonly mcp: {
    /** Address of the endpoint; `undefined` if there is none, or where nobody knows it. */
    resource(): string | undefined;
    issue(claims: AgentTokenClaims, resource: string, expiresAt: number): Promise<string>;
  };
}

/** Anything else is not asked about. */
const pattern = /^vcu_[0-9a-f]{64}$/;
export const serviceAccountPattern = /^svc_(?:live|test)_[0-9A-Za-z]{38}$/;

export function createTokenExchange({ platform, tokens, mcp }: TokenExchangeParts): TokenExchange {
  const issueFor = async ({ person, audience, expiresAt, readOnly }: PrintedTokenOwner): Promise<ExchangedToken> => {
    const claims = readOnly ? { ...person, readOnly } : person;
    if (audience === 'agent') return { token: await tokens.issue(claims, expiresAt) };
    const url = mcp.resource();
    if (url === undefined) throw noMcpServer();
    return { token: await mcp.issue(claims, url, expiresAt), url };
  };
  return {
    printed: async (printed) => {
      const owner = pattern.test(printed) ? await platform.printedToken(printed) : undefined;
      if (!owner) throw noLongerGood();
      return issueFor(owner);
    },
    serviceAccount: async (token, audience) => {
      const owner = serviceAccountPattern.test(token) ? await platform.serviceAccount(token, audience) : undefined;
      if (!owner) throw noServiceAccount();
      return issueFor(owner);
    },
    code: async (exchange) => {
      const asked = platform.exchangedCode(exchange).then((found) => found ?? Promise.reject(codeNotGood()));
      // Issued before the platform answers: whatever ends the session meanwhile ends the token.
      const token = await tokens.issue(
        asked.then(({ person }) => person),
        asked.then(({ expiresAt }) => expiresAt),
      );
      const { decodeJwt } = await import('jose');
      return { token, expiresAt: new Date((decodeJwt(token).exp ?? 0) * 1000).toISOString() };
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

function noServiceAccount(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The token is not that of a service account of this project, has ended, or was revoked.',
    'Make one: vendor-cloud tokens create <name> --scope agents:use',
  );
}

function codeNotGood(): CloudError {
  return cloudError(
    'REQUEST_UNAUTHENTICATED',
    'The code was not made for this agent, was used, has expired, or does not fit to its verifier.',
    'Ask the platform for another one: POST /api/agent-codes',
  );
}

function noMcpServer(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'The agent serves no MCP server, or does not know its address yet.',
    'Print a token for the agent: vendor-cloud tokens print agent',
  );
}
