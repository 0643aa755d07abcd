import type { ChatRequest } from './chat-request.ts';

/** A model that answers conversations in the form of OpenAI's chat completions, whoever provides it. */
export interface ChatModel {
  /** An object of the kind `chat.completion`. */
  complete(request: ChatRequest, signal: AbortSignal): Promise<unknown>;
  /** Objects of the kind `chat.completion.chunk`. */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<unknown>;
}
