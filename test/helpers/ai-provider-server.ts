import { startHttpServer } from './http-server.ts';

/** A request that a provider got. */
interface AskedProvider {
  readonly path: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Record<string, unknown>;
}

export interface AiProviderServer {
  readonly origin: string;
  readonly asked: readonly AskedProvider[];
}

/** Sent in answer to each request: JSON, or lines of an event stream. */
export interface ProviderAnswer {
  readonly status?: number;
  readonly body: unknown;
}

/** A server that speaks the protocol of a provider with recorded answers, until the test ends. */
export async function startAiProvider(answer: ProviderAnswer): Promise<AiProviderServer> {
  const asked: AskedProvider[] = [];
  const { origin } = await startHttpServer(async (request, response) => {
    const text = Buffer.concat(await request.toArray()).toString();
    asked.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) });
    const isStream = typeof answer.body === 'string';
    response.writeHead(answer.status ?? 200, {
      'content-type': isStream ? 'text/event-stream' : 'application/json',
    });
    response.end(isStream ? answer.body : JSON.stringify(answer.body));
  });
  return { origin, asked };
}

/** Recorded: OpenAI calls a function. */
export const openAiCompletion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_780_000_000,
  model: 'gpt-5-2026',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'count', arguments: '{"of":"orders"}' } }],
      },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
};

const openAiChunk = (delta: object, finish: string | null = null) => ({
  id: 'chatcmpl-2',
  object: 'chat.completion.chunk',
  created: 1_780_000_000,
  model: 'gpt-5-2026',
  choices: [{ index: 0, delta, finish_reason: finish }],
});

/** Recorded: OpenAI streams a text. */
export const openAiStream = [
  openAiChunk({ role: 'assistant', content: '' }),
  openAiChunk({ content: 'Eight ' }),
  openAiChunk({ content: 'orders.' }),
  openAiChunk({}, 'stop'),
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`)
  .concat('data: [DONE]\n\n')
  .join('');

/** Recorded: Anthropic calls a function after a few words. */
export const anthropicMessage = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-5',
  content: [
    { type: 'text', text: 'I count them.' },
    { type: 'tool_use', id: 'toolu_1', name: 'count', input: { of: 'orders' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 4 },
};

const anthropicEvents = [
  { type: 'message_start', message: { ...anthropicMessage, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I count.' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'count', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"of":' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"orders"}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 4 } },
  { type: 'message_stop' },
];

/** Recorded: Anthropic streams the same. */
export const anthropicStream = anthropicEvents
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');
