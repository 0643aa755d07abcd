import type { Clock } from '#kernel/ports/clock';
import type { AiSettings } from './ai-settings.ts';
import type { ChatRequest } from './chat-request.ts';

/** A model that answers conversations in the form of OpenAI's chat completions, whoever provides it. */
export interface ChatModel {
  /** An object of the kind `chat.completion`. */
  complete(request: ChatRequest, signal: AbortSignal): Promise<unknown>;
  /** Objects of the kind `chat.completion.chunk`. */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<unknown>;
}

/** The SDK of a provider is loaded when the first conversation comes. */
export async function openChatModel(settings: AiSettings, clock: Clock): Promise<ChatModel> {
  if (settings.provider.provider === 'openai') {
    const { openAiModel } = await import('./open-ai-model.ts');
    return openAiModel(settings);
  }
  const { anthropicModel } = await import('./anthropic-model.ts');
  return anthropicModel(settings, clock);
}
