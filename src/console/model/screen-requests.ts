import { useEffect, useId } from 'react';
import { type AgentAddress, agentPath, type Parameters } from '../wire/agent.ts';

/** A request that a screen makes, for other programs to make as well. */
export interface ScreenRequest {
  /** What it is about, for people. */
  readonly label: string;
  readonly agent: AgentAddress;
  readonly method?: 'GET' | 'POST';
  readonly path: readonly string[];
  readonly parameters?: Parameters;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The call of MCP that does the same, where there is one; a function where something has to be asked first. */
  readonly tool?: ToolCall | (() => Promise<ToolCall>);
  /** Why there is none, for people. */
  readonly whyNoTool?: string;
}

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const shown = new Map<string, ScreenRequest>();

/** Offers a request of this part of the screen to be copied, as long as the part is shown. */
export function useScreenRequest(request: ScreenRequest): void {
  const id = useId();
  useEffect(() => {
    shown.set(id, request);
    return () => void shown.delete(id);
  });
}

/** The requests of the parts that are shown now. */
export function screenRequests(): readonly ScreenRequest[] {
  return [...shown.values()];
}

/** The request at the agent itself. The token comes from the shell, so that no secret is in what is copied. */
export function asCurl({ agent, method = 'GET', path, parameters, headers = {}, body }: ScreenRequest): string {
  const [, rest = ''] = agentPath(agent, path, parameters).split(/^\/console\/agent\/[^/]+/);
  const heads = body === undefined ? headers : { ...headers, 'content-type': 'application/json' };
  return [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    `"$AGENT_URL"${quoted(rest)}`,
    '-H "authorization: Bearer $TOKEN"',
    ...Object.entries(heads).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ['-d', quoted(JSON.stringify(body))]),
  ].join(' ');
}

/** The same for people who copy it: what a shell takes, and the call of MCP or why there is none. */
export function copiesOf(request: ScreenRequest) {
  const { tool, whyNoTool } = request;
  const mcp = typeof tool === 'function' ? async () => asMcpCall(await tool()) : tool && asMcpCall(tool);
  return { curl: asCurl(request), mcp, whyNoMcp: whyNoTool };
}

/** A call of a tool, as the command line makes it. */
function asMcpCall(tool: ToolCall): string {
  return `vendor-cloud mcp call ${tool.name} --arguments ${quoted(JSON.stringify(tool.arguments))}`;
}

/** A word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
