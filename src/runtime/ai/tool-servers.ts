import type { Client } from '@modelcontextprotocol/client';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { AiSettings } from './ai-settings.ts';
import { boundedFetch } from './bounded-fetch.ts';

type ToolServer = AiSettings['toolServers'][string];

/** A tool of a server that the settings name. */
export interface RemoteTool {
  /** As models take it: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The name of its server in the settings. */
  readonly sourceId: string;
  readonly sourceType: 'mcp-server';
  readonly responseFormat: 'content';
}

/** A tool, and how its server calls it. */
interface FoundTool {
  readonly tool: RemoteTool;
  readonly originalName: string;
  readonly client: Client;
}

const connectMs = 15_000;
const probeMs = 5_000;
const callMs = 60_000;
const longestOutput = 1024 * 1024;

/**
 * Connect to the tool servers, use their tools, and close the connections. A server that cannot be used is left out, and the log
 * says so: the others still work.
 */
export async function withRemoteTools<Result>(
  { toolServers }: AiSettings,
  logger: Logger,
  signal: AbortSignal,
  use: (tools: readonly FoundTool[]) => Promise<Result>,
): Promise<Result> {
  const clients: Client[] = [];
  try {
    const found = await Promise.all(
      Object.entries(toolServers).map(async ([name, server]) => {
        try {
          const client = await newClient();
          clients.push(client);
          return await toolsOf(client, name, server, signal);
        } catch (error) {
          signal.throwIfAborted();
          logger.log('Warn', `The tool server "${name}" cannot be used, and its tools are left out.`, { error });
          return [];
        }
      }),
    );
    return await use(found.flat());
  } finally {
    await Promise.allSettled(clients.map((client) => client.close()));
  }
}

/** Call a tool; resolves with its content. Throws `AI_TOOL_FAILED`. */
export async function callTool(
  { tool, originalName, client }: FoundTool,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  const called = client.callTool({ name: originalName, arguments: input }, { signal, timeout: callMs });
  const { content, isError } = await called.catch((cause: unknown) => {
    signal.throwIfAborted();
    throw toolFailed(`The tool server "${tool.sourceId}" did not carry out "${tool.name}".`, cause);
  });
  if (Buffer.byteLength(JSON.stringify(content)) > longestOutput) {
    throw toolFailed(`The tool "${tool.name}" answered with more than 1 MB.`);
  }
  if (isError === true) throw toolFailed(`The tool "${tool.name}" failed.`, undefined, { content });
  return content;
}

async function newClient(): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  // Servers of the newest revision may refuse the greeting of the older ones. A program that is silent about the newest is an older one.
  const versionNegotiation = { mode: 'auto', probe: { timeoutMs: probeMs } } as const;
  return new Client({ name: 'vendor-cloud', version: '1' }, { versionNegotiation });
}

async function toolsOf(
  client: Client,
  sourceId: string,
  server: ToolServer,
  signal: AbortSignal,
): Promise<FoundTool[]> {
  const limits = { signal, timeout: connectMs };
  await client.connect(await transportTo(server), limits);
  const { tools } = await client.listTools({}, limits);
  return tools.map(({ name, description = '', inputSchema }) => {
    const tool: RemoteTool = {
      name: name.replace(/[^\w-]/g, '_'),
      description,
      schema: inputSchema,
      sourceId,
      sourceType: 'mcp-server',
      responseFormat: 'content',
    };
    return { tool, originalName: name, client };
  });
}

async function transportTo(server: ToolServer) {
  if (server.type === 'http') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { url, headers = {} } = server;
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: boundedFetch });
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { command, args = [], env = {} } = server;
  // Of the environment the program gets what every program needs, and none of the secrets of the agent.
  return new StdioClientTransport({ command, args, env: { ...getDefaultEnvironment(), ...env }, stderr: 'ignore' });
}

function toolFailed(message: string, cause?: unknown, details: Readonly<Record<string, unknown>> = {}): CloudError {
  return cloudError('AI_TOOL_FAILED', message, 'Correct the arguments, or look at the tool server.', {
    details,
    cause,
  });
}
