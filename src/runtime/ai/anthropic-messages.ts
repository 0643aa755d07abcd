import { invalidRequest } from '#kernel/errors/request-errors';
import { type ChatMessage, type ChatRequest, textOf } from './chat-request.ts';

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
export function anthropicRequest({ messages, tools, tool_choice, parallel_tool_calls }: ChatRequest) {
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
    throw invalidRequest('The arguments of a call of a function are no JSON.', 'Send them as the model gave them.');
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
