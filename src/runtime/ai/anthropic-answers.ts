import type { Message, MessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';

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
export function chatCompletion({ id, model, content, stop_reason, usage }: Message, now: number) {
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
export async function* chatChunks(events: AsyncIterable<MessageStreamEvent>, now: number): AsyncGenerator<unknown> {
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
