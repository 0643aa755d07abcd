import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { callTool } from '#flows/mcp/call-mcp-tool';
import { listTools } from '#flows/mcp/list-mcp-tools';
import { relayStdio } from '#flows/mcp/relay-stdio';
import { flowContext } from '../helpers/flow-context.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const developer = { name: 'Ada Lovelace', email: 'ada@example.test' };

async function client({ mcpUrl, mcpToken }: Pick<ShopAgent, 'mcpUrl' | 'mcpToken'>) {
  const folder = await temporaryFolder();
  const context = { ...flowContext(folder), variables: { SERVICE_MCP_TOKEN: mcpToken } };
  const input = { folder, developer, url: mcpUrl, signal: new AbortController().signal };
  return { context, input };
}

describe('a command that asks an MCP server', () => {
  it('lists its tools and what they do', async () => {
    const { context, input } = await client(await startShopAgent());
    const { tools, server } = await listTools(context, input);
    expect(server).toBe('vendor-cloud 0.0.0');
    expect(tools.find(({ name }) => name === 'list')).toMatchObject({
      isReadOnly: true,
      isDestructive: false,
      arguments: expect.arrayContaining([{ name: 'collectionName', isRequired: true }]),
    });
  });

  it('gives the structured result of a tool', async () => {
    const { context, input } = await client(await startShopAgent());
    const given = { collectionName: 'orders', fields: ['id'], pagination: { size: 1 } };
    const called = await callTool(context, { ...input, tool: 'list', arguments: given });
    expect(called.result).toMatchObject({ records: [{ id: 1 }], page: { size: 1, hasMore: true } });
  });

  it('speaks the newest revision to a server that refuses the older greeting', async () => {
    const methods: string[] = [];
    const repeated: unknown[] = [];
    const handler = createMcpHandler(
      () => {
        const server = new McpServer({ name: 'new', version: '1' });
        server.registerTool(
          'say',
          { inputSchema: z.object({ what: z.string().meta({ 'x-mcp-header': 'What' }) }) },
          async ({ what }) => ({
            content: [{ type: 'text', text: `said ${what}` }],
          }),
        );
        return server;
      },
      { legacy: 'reject' },
    );
    const serve = toNodeHandler(handler);
    const { origin } = await startHttpServer((request, response) => {
      methods.push(String(request.headers['mcp-method']));
      if (request.headers['mcp-method'] === 'tools/call') repeated.push(request.headers['mcp-param-what']);
      void serve(Object.assign(request, { method: 'POST', url: '/mcp' }), response);
    });
    const { context, input } = await client({ mcpUrl: `${origin}/mcp`, mcpToken: 'any' });
    expect((await listTools(context, input)).tools).toMatchObject([{ name: 'say' }]);
    const called = await callTool(context, { ...input, tool: 'say', arguments: { what: 'hi' } });
    expect(JSON.stringify(called)).toContain('said hi');
    expect(methods).not.toContain('initialize');
    // The description of the tool asks for this argument in a header too.
    expect(repeated).toEqual(['hi']);
  });

  it('asks the agent that the environment names', async () => {
    const agent = await startShopAgent();
    const { context, input } = await client(agent);
    const variables = { ...context.variables, SERVICE_AGENT_URL: `${new URL(agent.mcpUrl).origin}/service` };
    const { url } = await listTools({ ...context, variables }, { ...input, url: undefined });
    expect(url).toBe(agent.mcpUrl);
  });

  it('fails with the words of a tool that failed', async () => {
    const { context, input } = await client(await startShopAgent());
    const called = callTool(context, { ...input, tool: 'list', arguments: { collectionName: 'ordrs' } });
    await expect(called).rejects.toMatchObject({
      code: 'MCP_TOOL_FAILED',
      message: 'The tool "list" failed: There is no collection "ordrs". Did you mean "orders"?',
      nextSteps: ['Use "orders".'],
    });
  });

  it('says which variable holds the token where it is refused', async () => {
    const { mcpUrl } = await startShopAgent();
    const { context, input } = await client({ mcpUrl, mcpToken: 'wrong' });
    await expect(listTools(context, input)).rejects.toMatchObject({
      code: 'MCP_TOKEN_REFUSED',
      nextSteps: [expect.stringContaining('SERVICE_MCP_TOKEN')],
    });
  });

  it('says what is wrong where the address is that of something else', async () => {
    const other = await startHttpServer((_request, response) => void response.end('<html></html>'));
    const { context, input } = await client({ mcpUrl: other.origin, mcpToken: 'any' });
    await expect(listTools(context, input)).rejects.toMatchObject({ code: 'MCP_SERVER_REFUSED' });
  });
});

describe('the relay of a client that speaks through pipes', () => {
  const message = (id: number, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });

  async function relay(agent: ShopAgent, lines: readonly string[], chunkBytes = 1_000) {
    const { context, input } = await client(agent);
    const written: string[] = [];
    const stdin = (async function* () {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    })();
    await relayStdio(
      context,
      { url: input.url, token: context.variables.SERVICE_MCP_TOKEN },
      { input: stdin, write: (line) => void written.push(line) },
    );
    return written.map((line) => JSON.parse(line) as { id: unknown; result?: object; error?: { code: number } });
  }

  it('hands over requests of both revisions, and writes one line for each answer', async () => {
    const revision = '2026-07-28';
    const envelope = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const clientInfo = { name: 'test', version: '1' };
    const answers = await relay(await startShopAgent(), [
      JSON.stringify(message(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })),
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
      JSON.stringify(
        message(2, 'tools/call', { name: 'list', arguments: { collectionName: 'customers' }, _meta: envelope }),
      ),
      JSON.stringify(message(3, 'tools/list')),
    ]);
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2, 3]);
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    expect(byId.get(1)?.result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect(byId.get(2)?.result).toMatchObject({ structuredContent: { page: { returned: 2 } } });
    expect(byId.get(3)?.result).toMatchObject({ tools: expect.any(Array) });
  });

  it('answers a line that is not JSON, and goes on', async () => {
    const answers = await relay(await startShopAgent(), ['{"jsonrpc"', JSON.stringify(message(1, 'tools/list'))]);
    expect(answers.find(({ id }) => id === null)?.error?.code).toBe(-32_700);
    expect(answers.find(({ id }) => id === 1)?.result).toBeDefined();
  });

  it('answers a request that the server refuses before it is read, by its id', async () => {
    const agent = await startShopAgent(undefined, { mcpSafety: { limits: { callsPerMinute: 1 } } });
    const answers = await relay(
      agent,
      [1, 2].map((id) => JSON.stringify(message(id, 'tools/list'))),
    );
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2]);
    expect(answers.flatMap(({ error }) => error?.code ?? [])).toEqual([-32_600]);
  });

  it.each([1_000_000, 20_000_000])(
    'answers a line that is too long, and goes on, in chunks of %i bytes',
    async (bytes) => {
      const long = JSON.stringify(message(1, 'tools/list', { cursor: 'x'.repeat(5 * 1024 * 1024) }));
      const answers = await relay(await startShopAgent(), [long, JSON.stringify(message(2, 'tools/list'))], bytes);
      expect(answers.filter(({ id }) => id === null).map(({ error }) => error?.code)).toEqual([-32_600]);
      expect(answers.find(({ id }) => id === 2)?.result).toBeDefined();
      expect(answers).toHaveLength(2);
    },
  );
});
