import type { ShopAgent } from './shop-agent.ts';

/** The answer to a call of a tool, as the protocol has it. */
export interface McpAnswer {
  readonly status: number;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result: {
    readonly isError?: boolean;
    readonly resultType?: string;
    readonly requestState?: string;
    readonly inputRequests?: { readonly confirm: { readonly params: { readonly message: string } } };
    readonly structuredContent: Readonly<Record<string, unknown>>;
    readonly content: readonly { readonly text: string }[];
  };
}

export interface McpCallOptions {
  readonly token?: string;
  /** What the client can do. Default: nothing, so that it cannot ask the person. */
  readonly capabilities?: Readonly<Record<string, unknown>>;
  /** What the person said to the question of the call before. */
  readonly reply?: { readonly requestState: string | undefined; readonly confirm: unknown };
}

type Arguments = Readonly<Record<string, unknown>>;

/** Call a tool by the revision 2026-07-28. */
export async function mcpCall(
  { mcpUrl, mcpToken }: Pick<ShopAgent, 'mcpUrl' | 'mcpToken'>,
  name: string,
  args: Arguments,
  { token = mcpToken, capabilities = {}, reply }: McpCallOptions = {},
): Promise<McpAnswer> {
  const revision = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const answered = reply && { requestState: reply.requestState, inputResponses: { confirm: reply.confirm } };
  const response = await fetch(mcpUrl, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'mcp-protocol-version': revision,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args, ...answered, _meta },
    }),
  });
  const text = await response.text();
  return { status: response.status, ...JSON.parse(text) };
}

/** The error of a call that was refused. */
export function errorOf({ result }: McpAnswer): Readonly<Record<string, unknown>> {
  if (!result.isError) throw new TypeError(`The call was not refused: ${JSON.stringify(result)}`);
  return JSON.parse(result.content[0]?.text ?? '').error;
}

/** Make a call that has to be confirmed, and confirm it, as a client without a person to ask does. */
export async function confirmedCall(
  agent: Pick<ShopAgent, 'mcpUrl' | 'mcpToken'>,
  name: string,
  args: Arguments,
): Promise<McpAnswer> {
  const { result } = await mcpCall(agent, name, args);
  const { confirmationToken } = result.structuredContent;
  return mcpCall(agent, name, { ...args, confirmationToken });
}
