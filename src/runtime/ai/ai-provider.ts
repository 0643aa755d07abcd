import * as z from 'zod';
import { refusalOfOptions } from '../user-code/refused-options.ts';
import type { ChatRequest } from './chat-request.ts';

const optionsSchema = z.strictObject({
  name: z.string().trim().min(1, 'it must not be empty'),
  provider: z.enum(['openai', 'anthropic']),
  model: z.string().trim().min(1, 'it must not be empty'),
  apiKey: z.string().min(1, 'it must not be empty'),
  baseUrl: z.url({ protocol: /^https?$/, error: 'it must be an http or https address' }).optional(),
});

/** The model that the AI features use, and its provider, under a name of your own. */
export type AiProviderOptions = z.input<typeof optionsSchema>;

/** A checked definition of a provider. The key is not enumerable, so that it is not printed or serialised by accident. */
export interface AiProvider {
  readonly name: string;
  readonly provider: 'openai' | 'anthropic';
  readonly model: string;
  readonly apiKey: string;
  /** The address of a gateway that speaks the protocol of the provider, such as `http://127.0.0.1:8080/v1`. */
  readonly baseUrl?: string | undefined;
}

/**
 * Define an AI provider. Nothing is loaded or called yet.
 *
 * @throws `AGENT_OPTION_INVALID`, which names the option and never its value.
 */
export function createAiProvider(options: AiProviderOptions): AiProvider {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw refusalOfOptions(optionsSchema, parsed.error);
  const { apiKey, ...definition } = parsed.data;
  const provider: AiProvider = Object.defineProperty({ ...definition, apiKey }, 'apiKey', { enumerable: false });
  return Object.freeze(provider);
}

/** A model that answers conversations in the form of OpenAI's chat completions, whoever provides it. */
export interface ChatModel {
  /** An object of the kind `chat.completion`. */
  complete(request: ChatRequest, signal: AbortSignal): Promise<unknown>;
  /** Objects of the kind `chat.completion.chunk`. */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<unknown>;
}
