import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { ShopAgent } from './shop-agent.ts';

/** The official client, connected to the MCP server of an agent until the test ends. */
export async function connectMcp({ mcpUrl, mcpToken }: Pick<ShopAgent, 'mcpUrl' | 'mcpToken'>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${mcpToken}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

interface ToolAnswer {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: unknown;
  /** Of an error. */
  readonly error: { readonly code: string; readonly message: string; readonly nextSteps: readonly string[] };
}

/** Calls tools by name. */
export type CallMcp = (name: string, args: Readonly<Record<string, unknown>>) => Promise<ToolAnswer>;

export async function mcpCaller(agent: Pick<ShopAgent, 'mcpUrl' | 'mcpToken'>): Promise<CallMcp> {
  const client = await connectMcp(agent);
  return async (name, args) => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
    const [{ text } = { text: '' }] = content as { text: string }[];
    const error = isError ? JSON.parse(text).error : undefined;
    return { isError: isError === true, text, structured: structuredContent, error };
  };
}

/** The JSON between the two lines of the text of an answer. */
export function jsonInText(text: string): unknown {
  const [, , json = ''] = text.split('\n');
  return JSON.parse(json);
}
