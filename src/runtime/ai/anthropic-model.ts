import type { Message, MessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { Clock } from '#kernel/ports/clock';
import type { ChatModel } from './ai-provider.ts';
import type { AiSettings } from './ai-settings.ts';
import { providerFetch } from './bounded-fetch.ts';
import { type ChatMessage, type ChatRequest, textOf } from './chat-request.ts';
import { loadSdk, streamWithoutProviderWords, withoutProviderWords } from './provider-errors.ts';

/** Anthropic has no default of its own. */
const defaultMaxTokens = 4_096;

export async function anthropicModel(
  { provider, maxOutputTokens = defaultMaxTokens }: AiSettings,
  clock: Clock,
): Promise<ChatModel> {
  const { default: Anthropic } = await loadSdk('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'));
  const client = new Anthropic({
    apiKey: provider.apiKey,
    baseURL: provider.baseUrl ?? 'https://api.anthropic.com',
    // What the environment says of other programs does not count here.
    authToken: null,
    logLevel: 'off',
    maxRetries: 0,
    fetch: providerFetch,
  });
  const given = (request: ChatRequest) => ({
    ...anthropicRequest(request),
    model: provider.model,
    max_tokens: maxOutputTokens,
  });
  return {
    complete: async (request, signal) => {
      const body = given(request);
      return withoutProviderWords(signal, async () =>
        chatCompletion(await client.messages.create({ ...body, stream: false }, { signal }), clock.now()),
      );
    },
    stream: (request, signal) => {
      const body = given(request);
      return streamWithoutProviderWords(signal, async () =>
        chatChunks(await client.messages.create({ ...body, stream: true }, { signal }), clock.now()),
      );
    },
  };
}

interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}
interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}
interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
}

interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: (TextBlock | ToolUseBlock | ToolResultBlock)[];
}

type ToolChoice =
  | { readonly type: 'auto' | 'any'; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'tool'; readonly name: string; readonly disable_parallel_tool_use?: boolean }
  | { readonly type: 'none' };

/** A conversation as Anthropic's Messages take it. Messages of one role after another become one. */
function anthropicRequest({ messages, tools, tool_choice, parallel_tool_calls }: ChatRequest) {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
  const turns: AnthropicMessage[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message));
    else turns.push({ role, content: blocksOf(message) });
  }
  const choice = toolChoice(tool_choice, parallel_tool_calls);
  return {
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
    messages: turns,
    ...(tools === undefined || tools.length === 0
      ? {}
      : {
          tools: tools.map(({ function: { name, description, parameters } }) => ({
            name,
            ...(description === undefined ? {} : { description }),
            input_schema: { ...parameters, type: 'object' as const },
          })),
          ...(choice ? { tool_choice: choice } : {}),
        }),
  };
}

function blocksOf(message: ChatMessage): AnthropicMessage['content'] {
  const text = textOf(message.content);
  if (message.role === 'tool') return [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: text }];
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map(({ id, function: { name, arguments: given } }) => ({
      type: 'tool_use' as const,
      id,
      name,
      input: parsedArguments(given),
    })),
  ];
}

function parsedArguments(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    throw invalidRequest('The arguments of a call of a function are not JSON.', 'Send them as the model gave them.');
  }
}

function toolChoice(
  choice: ChatRequest['tool_choice'],
  isParallel: ChatRequest['parallel_tool_calls'],
): ToolChoice | undefined {
  if (choice === 'none') return { type: 'none' };
  const one = isParallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return isParallel === false ? { type: 'auto', ...one } : undefined;
  if (choice === 'auto') return { type: 'auto', ...one };
  if (choice === 'required') return { type: 'any', ...one };
  return { type: 'tool', name: choice.function.name, ...one };
}

const finishReasons: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

const finishReason = (reason: string | null | undefined) => (reason ? (finishReasons[reason] ?? 'stop') : null);

/** A message of Anthropic as a chat completion. */
function chatCompletion({ id, model, content, stop_reason, usage }: Message, now: number) {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const calls = content.flatMap((block) =>
    block.type === 'tool_use'
      ? [{ id: block.id, type: 'function', function: { name: block.name, arguments: JSON.stringify(block.input) } }]
      : [],
  );
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id,
    object: 'chat.completion',
    created: Math.floor(now / 1000),
    model,
    choices: [{ index: 0, message, finish_reason: finishReason(stop_reason) ?? 'stop' }],
    usage: usageOf(usage.input_tokens, usage.output_tokens),
  };
}

/** What Anthropic streams, as chunks of a chat completion. */
async function* chatChunks(events: AsyncIterable<MessageStreamEvent>, now: number): AsyncGenerator<unknown> {
  let head: object = {};
  let inputTokens = 0;
  let calls = -1;
  const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  });
  for await (const event of events) {
    if (event.type === 'message_start') {
      const { id, model, usage } = event.message;
      head = { id, object: 'chat.completion.chunk', created: Math.floor(now / 1000), model };
      inputTokens = usage.input_tokens;
      yield chunk({ role: 'assistant', content: '' });
    } else if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
      calls += 1;
      const { id, name } = event.content_block;
      yield chunk({ tool_calls: [{ index: calls, id, type: 'function', function: { name, arguments: '' } }] });
    } else if (event.type === 'content_block_delta') {
      if (event.delta.type === 'text_delta') yield chunk({ content: event.delta.text });
      else if (event.delta.type === 'input_json_delta')
        yield chunk({ tool_calls: [{ index: calls, function: { arguments: event.delta.partial_json } }] });
    } else if (event.type === 'message_delta') {
      const usage = usageOf(inputTokens, event.usage.output_tokens);
      yield chunk({}, finishReason(event.delta.stop_reason) ?? 'stop', { usage });
    }
  }
}

function usageOf(prompt: number, completion: number) {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
