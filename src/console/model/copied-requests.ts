import { agentPath } from '../wire/agent.ts';
import type { ScreenRequest, ToolCall } from './screen-requests.ts';

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
