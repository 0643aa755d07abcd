import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { type McpServerInput, withMcpServer } from './mcp-access.ts';
import { toolDeadlineMs, withMcpClient } from './mcp-client.ts';

export interface ToolCallInput extends McpServerInput {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface CalledTool {
  readonly tool: string;
  /** The structured result; `null` where the tool gives only text. */
  readonly result: Readonly<Record<string, unknown>> | null;
  /** What the tool gives as text. */
  readonly texts: readonly string[];
}

const firstWithHeaders = '2026-07-28';

/** Call a tool of an MCP server. Rejects with `MCP_TOOL_FAILED` and the words of the tool where it says that it failed. */
export function callTool(
  context: FlowContext,
  { tool, arguments: given, ...input }: ToolCallInput,
): Promise<CalledTool> {
  return withMcpServer(context, input, (access) =>
    withMcpClient(context, access, async (client) => {
      const options = { timeout: toolDeadlineMs, signal: input.signal };
      // Servers of these revisions may ask for arguments in headers too. The description of the tool says which.
      if ((client.getNegotiatedProtocolVersion() ?? '') >= firstWithHeaders) await client.listTools({}, options);
      const answer = await client.callTool({ name: tool, arguments: { ...given } }, options);
      const texts = textsOf(answer.content);
      if (answer.isError === true) throw toolFailed(tool, texts);
      const result = (answer.structuredContent as CalledTool['result'] | undefined) ?? null;
      return { tool, result, texts };
    }),
  );
}

function textsOf(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: { readonly text?: unknown }) => (typeof part.text === 'string' ? [part.text] : []));
}

function toolFailed(tool: string, texts: readonly string[]): CloudError {
  const { message, nextSteps } = saidBy(texts);
  const [first = 'See what it takes: vendor-cloud mcp tools', ...others] = nextSteps;
  return cloudError('MCP_TOOL_FAILED', `The tool "${tool}" failed: ${message}`, [first, ...others]);
}

/** Our own servers give errors with next steps as JSON. */
function saidBy(texts: readonly string[]): { readonly message: string; readonly nextSteps: readonly string[] } {
  const text = texts.join(' ');
  try {
    const { error } = JSON.parse(text) as { readonly error?: { message?: unknown; nextSteps?: unknown } };
    if (typeof error?.message === 'string') {
      return { message: error.message, nextSteps: Array.isArray(error.nextSteps) ? error.nextSteps.map(String) : [] };
    }
  } catch {
    // Another server says it in plain words.
  }
  return { message: text === '' ? 'it gave no reason' : text, nextSteps: [] };
}
