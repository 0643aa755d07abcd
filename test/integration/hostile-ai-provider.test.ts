import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createAiProvider } from '../../src/exports/ai-proxy.ts';
import type { Agent } from '../../src/exports/index.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { call, startShopAgent } from '../helpers/shop-agent.ts';

const messages = [{ role: 'user', content: 'How many orders are there?' }];
const apiKey = 'sk-very-secret';

/** An agent with a provider that answers as it likes, and a person who asks. */
async function askOf(
  provider: 'openai' | 'anthropic',
  answer: (response: ServerResponse) => unknown,
  { stream = false, requestTimeoutMs = 10_000 } = {},
) {
  const server = await startHttpServer((request, response) => {
    request.resume();
    response.on('error', () => undefined);
    return answer(response);
  });
  const hostile = createAiProvider({ name: 'main', provider, model: 'a-model', apiKey, baseUrl: server.origin });
  const agent = await startShopAgent((customized: Agent) => customized.addAi(hostile), {
    limits: { requestTimeoutMs },
  });
  const asked = await call(agent, '/_internal/ai-proxy/ai-query', { method: 'POST', body: { messages, stream } });
  expect((await call(agent, '/customers/count')).status).toBe(200);
  return asked;
}

/** Writes for as long as somebody reads. */
function pour(response: ServerResponse, type: string, part: string): void {
  response.writeHead(200, { 'content-type': type });
  const more = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', more);
  more();
}

const json = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);

const hostilities: readonly [string, (response: ServerResponse) => unknown][] = [
  ['a body without an end', (response) => pour(response, 'application/json', ' '.repeat(100_000))],
  ['headers without an end', (response) => response.setHeader('x', 'x'.repeat(100_000)).end('{}')],
  ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<script>1</script>')],
  ['a text', (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('Hello')],
  ['no JSON', (response) => json(response, '{')],
  ['null', (response) => json(response, 'null')],
  ['a number', (response) => json(response, '7')],
  ['a connection that breaks', (response) => response.destroy()],
];

describe.each(['openai', 'anthropic'] as const)('a provider of the kind %s', (provider) => {
  it.each(hostilities)('that answers with %s is one that gave no whole answer', async (_what, answer) => {
    const { status, json: body, text } = await askOf(provider, answer);
    expect([status, body]).toMatchObject([503, { errors: [{ code: 'AI_PROVIDER_UNAVAILABLE' }] }]);
    expect(text).not.toContain('script');
  });

  it('a provider that redirects gets neither the conversation nor the key to anybody else', async () => {
    const seen: string[] = [];
    const other = await startHttpServer((request, response) => {
      seen.push(JSON.stringify(request.headers));
      response.end('{}');
    });
    for (const code of [301, 302, 307, 308]) {
      const location = `${other.origin}/elsewhere`;
      const { status } = await askOf(provider, (response) => response.writeHead(code, { location }).end());
      expect([code, status]).toEqual([code, 503]);
    }
    expect(seen).toEqual([]);
  });

  it('a provider that drips is given up at the deadline of the request', async () => {
    const drip = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 20);
      response.once('close', () => clearInterval(timer));
    };
    expect(await askOf(provider, drip, { requestTimeoutMs: 300 })).toMatchObject({ status: 504 });
  });

  it('a provider that streams one line without an end is cut off', async () => {
    const { text } = await askOf(provider, (response) => pour(response, 'text/event-stream', 'x'.repeat(100_000)), {
      stream: true,
    });
    expect(text).not.toContain('[DONE]');
    expect(text.length).toBeLessThan(10_000);
  });
});

it('an answer of Anthropic that is not a message is refused', async () => {
  for (const text of ['{}', '{"content":{},"usage":null}', '{"content":[null]}', '[]']) {
    const { status } = await askOf('anthropic', (response) => json(response, text));
    expect([text, status]).toEqual([text, 503]);
  }
});
