import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { type AiOptions, type AiProvider, createAiProvider } from '../../src/exports/ai-proxy.ts';
import type { Agent } from '../../src/exports/index.ts';
import {
  anthropicMessage,
  anthropicStream,
  openAiCompletion,
  openAiStream,
  type ProviderAnswer,
  startAiProvider,
} from '../helpers/ai-provider-server.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const apiKey = 'sk-very-secret';
const messages = [{ role: 'user', content: 'How many orders are there?' }];
const count = {
  type: 'function',
  function: { name: 'count', description: 'Counts', parameters: { type: 'object', properties: { of: {} } } },
};

function providerAt(provider: 'openai' | 'anthropic', baseUrl: string): AiProvider {
  return createAiProvider({ name: 'main', provider, model: 'a-model', apiKey, baseUrl });
}

/** An agent whose provider gives a recorded answer. */
async function agentWith(provider: 'openai' | 'anthropic', answer: ProviderAnswer, options: AiOptions = {}) {
  const server = await startAiProvider(answer);
  const agent = await startShopAgent((customized: Agent) =>
    customized.addAi(providerAt(provider, server.origin), options),
  );
  return { agent, asked: server.asked };
}

const ask = (agent: ShopAgent, body: object, query = '') =>
  call(agent, `/_internal/ai-proxy/ai-query${query}`, { method: 'POST', body });

describe.each([
  ['openai', openAiCompletion, openAiStream],
  ['anthropic', anthropicMessage, anthropicStream],
] as const)('the AI features, with the provider %s', (provider, completion, stream) => {
  it('answer with a chat completion', async () => {
    const { agent, asked } = await agentWith(provider, { body: completion });
    const answer = await ask(agent, { messages, tools: [count], tool_choice: 'required', parallel_tool_calls: false });
    expect(answer).toMatchObject({
      status: 200,
      json: {
        object: 'chat.completion',
        choices: [
          {
            finish_reason: 'tool_calls',
            message: { tool_calls: [{ type: 'function', function: { name: 'count', arguments: '{"of":"orders"}' } }] },
          },
        ],
        usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
      },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.body).toMatchObject({ model: 'a-model' });
    expect(JSON.stringify(asked[0]?.headers)).toContain(apiKey);
  });

  it('stream a chat completion', async () => {
    const { agent } = await agentWith(provider, { body: stream });
    const { status, text } = await ask(agent, { messages, stream: true });
    expect(status).toBe(200);
    const lines = text.split('\n\n').filter((line) => line !== '');
    expect(lines.at(-1)).toBe('data: [DONE]');
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice('data: '.length)));
    expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(['chat.completion.chunk']));
    const words = chunks.map(({ choices: [{ delta }] }) => delta.content ?? '').join('');
    expect(words).toBe(provider === 'openai' ? 'Eight orders.' : 'I count.');
    const finish = chunks.at(-1).choices[0].finish_reason;
    expect(finish).toBe(provider === 'openai' ? 'stop' : 'tool_calls');
    const given = chunks.map(({ choices: [{ delta }] }) => delta.tool_calls?.[0].function.arguments ?? '').join('');
    expect(given).toBe(provider === 'openai' ? '' : '{"of":"orders"}');
  });

  it.each([
    [401, 502, 'AI_PROVIDER_REFUSED'],
    [403, 502, 'AI_PROVIDER_REFUSED'],
    [404, 502, 'AI_PROVIDER_REFUSED'],
    [400, 400, 'AI_REQUEST_REFUSED'],
    [429, 503, 'AI_PROVIDER_UNAVAILABLE'],
    [500, 503, 'AI_PROVIDER_UNAVAILABLE'],
  ])('tell %i of the provider as %i, without its words', async (theirs, ours, code) => {
    const said = { error: { type: 'some_error', message: `Incorrect key ${apiKey} for: How many orders` } };
    const { agent } = await agentWith(provider, { status: theirs, body: said });
    for (const isStreamed of [false, true]) {
      const { status, json, text } = await ask(agent, { messages, stream: isStreamed });
      expect({ status, json }).toMatchObject({ status: ours, json: { errors: [{ code }] } });
      expect(text).not.toMatch(/sk-|Incorrect|How many/);
    }
    expect(agent.log.join('\n')).not.toMatch(/sk-|Incorrect|How many/);
  });

  it('tell of a stream that breaks off without the words of the provider', async () => {
    const said = { error: { type: 'overloaded_error', message: `Overloaded ${apiKey}: How many orders` } };
    const event = `event: error\ndata: ${JSON.stringify({ type: 'error', ...said })}\n\n`;
    const parts = stream.split('\n\n');
    const broken = `${parts.slice(0, 2).join('\n\n')}\n\n${event}`;
    for (const body of [event, broken]) {
      const { agent } = await agentWith(provider, { body });
      const answer = await ask(agent, { messages, stream: true }).catch(() => undefined);
      expect(answer?.text ?? '').not.toMatch(/DONE|sk-|How many/);
      if (body === event)
        expect(answer).toMatchObject({ status: 503, json: { errors: [{ code: 'AI_PROVIDER_UNAVAILABLE' }] } });
      expect(agent.log.join('\n')).toContain('The provider of the model gave no whole answer.');
      expect(agent.log.join('\n')).not.toMatch(/sk-|Overloaded|How many/);
    }
  });

  it('tell that nobody answers', async () => {
    const agent = await startShopAgent((customized: Agent) =>
      customized.addAi(providerAt(provider, 'http://127.0.0.1:9')),
    );
    expect(await ask(agent, { messages })).toMatchObject({
      status: 503,
      json: { errors: [{ code: 'AI_PROVIDER_UNAVAILABLE' }] },
    });
  });
});

it('Anthropic gets system texts, calls and answers of tools in its own form', async () => {
  const { agent, asked } = await agentWith('anthropic', { body: anthropicMessage });
  const called = { id: 'toolu_1', type: 'function', function: { name: 'count', arguments: '{"of":"orders"}' } };
  await ask(agent, {
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'How many?' }] },
      { role: 'assistant', content: null, tool_calls: [called, { ...called, id: 'toolu_2' }] },
      { role: 'tool', tool_call_id: 'toolu_1', content: '8' },
      { role: 'tool', tool_call_id: 'toolu_2', content: '9' },
    ],
    tools: [count],
    tool_choice: { type: 'function', function: { name: 'count' } },
    parallel_tool_calls: false,
  });
  expect(asked[0]?.body).toMatchObject({
    model: 'a-model',
    max_tokens: 4096,
    system: 'Be brief.',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'How many?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'count', input: { of: 'orders' } },
          { type: 'tool_use', id: 'toolu_2' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: '8' },
          { type: 'tool_result', tool_use_id: 'toolu_2', content: '9' },
        ],
      },
    ],
    tools: [{ name: 'count', description: 'Counts', input_schema: { type: 'object', properties: { of: {} } } }],
    tool_choice: { type: 'tool', name: 'count', disable_parallel_tool_use: true },
  });
});

describe('the AI features', () => {
  it('want a token, and a conversation', async () => {
    const { agent, asked } = await agentWith('openai', { body: openAiCompletion });
    const path = '/_internal/ai-proxy/ai-query';
    expect(await call(agent, path, { method: 'POST', body: { messages }, token: null })).toMatchObject({ status: 401 });
    for (const [body, member] of [
      [{}, 'messages'],
      [{ messages: [] }, 'messages'],
      [{ messages: [{ role: 'developer', content: 'x' }] }, 'messages.0.role'],
      [{ messages, model: 'gpt-1' }, 'model'],
    ] as const) {
      const { status, text } = await ask(agent, body);
      expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(`at \\"${member}\\"`) });
    }
    expect(asked).toEqual([]);
  });

  it('name what there is where there is no such feature, and say where there is no provider', async () => {
    const { agent } = await agentWith('openai', { body: openAiCompletion });
    const unknown = await call(agent, '/_internal/ai-proxy/toString', { method: 'POST', body: {} });
    expect(unknown.text).toContain('ai-query, remote-tools, invoke-remote-tool');
    const without = await ask(await startShopAgent(), { messages });
    expect(without).toMatchObject({ status: 422, json: { errors: [{ code: 'AI_NOT_CONFIGURED' }] } });
  });

  it('have a limit for each person', async () => {
    const { agent } = await agentWith('openai', { body: openAiCompletion }, { callsPerMinute: 2 });
    const statuses = [];
    for (let turn = 0; turn < 3; turn++) statuses.push((await ask(agent, { messages })).status);
    expect(statuses).toEqual([200, 200, 429]);
    const refused = await ask(agent, { messages });
    expect(refused.json).toMatchObject({
      errors: [{ name: 'TooManyRequestsError', code: 'AI_LIMIT_REACHED', data: { retryAfterSeconds: 30 } }],
    });
    expect(refused.headers.get('retry-after')).toBe('30');
  });

  it('send no text that was not redacted', async () => {
    const redact = (text: string) => text.replaceAll('ada@example.test', '[e-mail]');
    const { agent, asked } = await agentWith('openai', { body: openAiCompletion }, { redact });
    await ask(agent, { messages: [{ role: 'user', content: 'Who is ada@example.test?' }] });
    expect(asked[0]?.body).toMatchObject({ messages: [{ content: 'Who is [e-mail]?' }] });
  });

  it('have one provider', async () => {
    const provider = providerAt('openai', 'http://127.0.0.1:9');
    const { agent } = await createEmbeddedShop();
    agent.addAi(provider);
    expect(() => agent.addAi(provider)).toThrow('it may be called once');
    await expect(startShopAgent((customized: Agent) => customized.addAi(provider).addAi(provider))).rejects.toThrow(
      'it may be called once',
    );
    const other = (await createEmbeddedShop()).agent;
    expect(() => other.addAi({} as AiProvider)).toThrow('createAiProvider');
    expect(() => other.addAi(provider, { callPerMinute: 1 } as AiOptions)).toThrow('"callsPerMinute"');
  });
});

/** An MCP server with one tool, until the test ends. */
async function startToolServer(name: string, run: (of: string) => string | Promise<string>): Promise<string> {
  const { origin } = await startHttpServer(async (request, response) => {
    const server = new McpServer({ name: 'tools', version: '1' });
    server.registerTool(
      name,
      { description: 'Counts records', inputSchema: z.object({ of: z.string() }) },
      async ({ of }) => ({
        content: [{ type: 'text', text: await run(of) }],
      }),
    );
    const transport = new NodeStreamableHTTPServerTransport();
    await server.connect(transport);
    await transport.handleRequest(request, response);
  });
  return `${origin}/mcp`;
}

describe('the tools of tool servers', () => {
  const invoke = (agent: ShopAgent, query: string, inputs: unknown) =>
    call(agent, `/_internal/ai-proxy/invoke-remote-tool?${query}`, { method: 'POST', body: { inputs } });

  it('are listed and called; a server that is away takes none of the others with it', async () => {
    const url = await startToolServer('count.records', (of) => `8 ${of}`);
    const toolServers = { shop: { type: 'http', url }, away: { type: 'http', url: 'http://127.0.0.1:9/mcp' } } as const;
    const { agent } = await agentWith('openai', { body: openAiCompletion }, { toolServers });
    const { json } = await call(agent, '/_internal/ai-proxy/remote-tools', { method: 'POST', body: {} });
    expect(json).toEqual([
      {
        name: 'count_records',
        description: 'Counts records',
        schema: expect.objectContaining({ type: 'object', required: ['of'] }),
        sourceId: 'shop',
        sourceType: 'mcp-server',
        responseFormat: 'content',
      },
    ]);
    expect(await invoke(agent, 'tool-name=count_records', { of: 'orders' })).toMatchObject({
      status: 200,
      json: [{ type: 'text', text: '8 orders' }],
    });
    expect(await invoke(agent, 'tool-name=other', {})).toMatchObject({ status: 404 });
    expect(await invoke(agent, 'tool-name=count_records', { of: 7 })).toMatchObject({ status: 422 });
    expect(await invoke(agent, 'tool-name=count_records', null)).toMatchObject({ status: 400 });
    expect(await invoke(agent, '', {})).toMatchObject({ status: 400 });
  });

  it('are used where a server speaks only the newest revision', async () => {
    const handler = createMcpHandler(
      () => {
        const server = new McpServer({ name: 'new', version: '1' });
        server.registerTool('say', { inputSchema: z.object({ what: z.string() }) }, async ({ what }) => ({
          content: [{ type: 'text', text: `said ${what}` }],
        }));
        return server;
      },
      { legacy: 'reject' },
    );
    const serve = toNodeHandler(handler);
    const { origin } = await startHttpServer(
      (request, response) => void serve(Object.assign(request, { method: 'POST', url: '/mcp' }), response),
    );
    const toolServers = { shop: { type: 'http', url: `${origin}/mcp` } } as const;
    const { agent } = await agentWith('openai', { body: openAiCompletion }, { toolServers });
    const called = await invoke(agent, 'tool-name=say', { what: 'hi' });
    expect(called).toMatchObject({ status: 200, json: [{ type: 'text', text: 'said hi' }] });
  });

  it.each(['lists its tools', 'is called'])(
    'end a request at its deadline where one hangs when it %s',
    async (when) => {
      const [hanging, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const mute = await startHttpServer((request, response) => {
        hanging.resolve();
        response.once('close', () => left.resolve());
        request.resume();
      });
      const slow = await startToolServer('count', () => {
        hanging.resolve();
        left.resolve();
        return new Promise<string>(() => undefined);
      });
      const url = when === 'is called' ? slow : `${mute.origin}/mcp`;
      const provider = await startAiProvider({ body: openAiCompletion });
      const toolServers = { shop: { type: 'http', url } } as const;
      const agent = await startShopAgent(
        (customized: Agent) => customized.addAi(providerAt('openai', provider.origin), { toolServers }),
        { limits: { requestTimeoutMs: 300 } },
      );
      expect(await invoke(agent, 'tool-name=count', { of: 'orders' })).toMatchObject({
        status: 504,
        json: { errors: [{ code: 'REQUEST_TIMEOUT', detail: expect.stringContaining('300 ms') }] },
      });
      // It did hang, and nobody waits for it any more.
      await hanging.promise;
      await left.promise;
      expect((await call(agent, '/orders/count')).status).toBe(200);
    },
  );

  it('may answer up to 1 MB', async () => {
    const url = await startToolServer('count', (of) => 'x'.repeat(Number(of)));
    const { agent } = await agentWith(
      'openai',
      { body: openAiCompletion },
      { toolServers: { shop: { type: 'http', url } } },
    );
    expect(await invoke(agent, 'tool-name=count', { of: '1000000' })).toMatchObject({ status: 200 });
    const tooLong = await invoke(agent, 'tool-name=count', { of: '1100000' });
    expect(tooLong).toMatchObject({ status: 422, json: { errors: [{ code: 'AI_TOOL_FAILED' }] } });
  });

  it('are distinguished by their server where two have one name', async () => {
    const [first, second] = [await startToolServer('count', () => 'one'), await startToolServer('count', () => 'two')];
    const toolServers = { first: { type: 'http', url: first }, second: { type: 'http', url: second } } as const;
    const { agent } = await agentWith('openai', { body: openAiCompletion }, { toolServers });
    expect(await invoke(agent, 'tool-name=count', { of: 'x' })).toMatchObject({ status: 400 });
    expect(await invoke(agent, 'tool-name=count&source-id=second', { of: 'x' })).toMatchObject({
      json: [{ text: 'two' }],
    });
  });

  it('are described to the model by their server, not by the client', async () => {
    const url = await startToolServer('count', () => 'one');
    const { agent, asked } = await agentWith(
      'openai',
      { body: openAiCompletion },
      { toolServers: { shop: { type: 'http', url } } },
    );
    await ask(agent, { messages, tools: [{ ...count, function: { ...count.function, description: 'Forged' } }] });
    expect(asked[0]?.body).toMatchObject({
      tools: [{ function: { name: 'count', description: 'Counts records', parameters: { required: ['of'] } } }],
    });
  });

  it('run in a program that sees no variable of the agent', async () => {
    process.env['SERVICE_TEST_SECRET'] = 'a secret';
    onTestFinished(() => void delete process.env['SERVICE_TEST_SECRET']);
    const program = `
      import { McpServer } from '@modelcontextprotocol/server';
      import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
      const server = new McpServer({ name: 'tools', version: '1' });
      server.registerTool('variables', {}, async () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }));
      await server.connect(new StdioServerTransport());`;
    const args = ['--input-type=module', '--eval', program];
    const shop = { type: 'stdio', command: process.execPath, args, env: { GIVEN: 'yes' } } as const;
    const { agent } = await agentWith('openai', { body: openAiCompletion }, { toolServers: { shop } });
    const { text } = await invoke(agent, 'tool-name=variables', {});
    expect(text).toContain('GIVEN');
    expect(text).not.toContain('SERVICE_TEST_SECRET');
  });
});
