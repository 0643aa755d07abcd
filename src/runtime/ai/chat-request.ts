import * as z from 'zod';
import { invalidRequest } from '#kernel/errors/request-errors';

const textSchema = z.union([z.string(), z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).min(1)]);

const toolCallSchema = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1), arguments: z.string() }),
});

const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: textSchema }),
  z.strictObject({ role: z.literal('user'), content: textSchema }),
  z.strictObject({
    role: z.literal('assistant'),
    content: textSchema.nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCallSchema).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: textSchema, tool_call_id: z.string().min(1) }),
]);

const toolSchema = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[\w-]{1,64}$/),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
});

const requestSchema = z.strictObject({
  messages: z.array(messageSchema).min(1),
  tools: z.array(toolSchema).optional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  stream: z.boolean().default(false),
});

/** A conversation, in the form of OpenAI's chat completions: texts, and calls of functions. */
export type ChatRequest = z.output<typeof requestSchema>;
export type ChatMessage = ChatRequest['messages'][number];

/** @throws `REQUEST_INVALID`, which names the member and never its value. */
export function parseChatRequest(body: unknown): ChatRequest {
  const parsed = requestSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const member = [...(issue?.path ?? []), ...unknown].join('.');
  const reason = unknown.length > 0 ? 'there is no such member' : (issue?.message ?? 'it cannot be read');
  throw invalidRequest(
    `The conversation is invalid at "${member}": ${reason}.`,
    'Send `messages`, and where wanted `tools`, `tool_choice`, `parallel_tool_calls` and `stream`, as for chat completions.',
  );
}

/** The text of a message; of several parts, one below the other. */
export function textOf(content: string | readonly { readonly text: string }[] | null | undefined): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text).join('\n');
}

/** A conversation whose texts went through `redact`. */
export function redactRequest(request: ChatRequest, redact: (text: string) => string): ChatRequest {
  const messages = request.messages.map((message): ChatMessage => {
    const text = textOf(message.content);
    const content = text === '' ? message.content : redact(text);
    return { ...message, content } as ChatMessage;
  });
  return { ...request, messages };
}
