import type { Clock } from '#kernel/ports/clock';
import type { AiSettings } from './ai-settings.ts';
import { chatChunks, chatCompletion } from './anthropic-answers.ts';
import { anthropicRequest } from './anthropic-messages.ts';
import type { ChatModel } from './chat-model.ts';
import type { ChatRequest } from './chat-request.ts';
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
  });
  const given = (request: ChatRequest) => ({
    ...anthropicRequest(request),
    model: provider.model,
    max_tokens: maxOutputTokens,
  });
  return {
    complete: async (request, signal) => {
      const body = given(request);
      const message = await withoutProviderWords(signal, () =>
        client.messages.create({ ...body, stream: false }, { signal }),
      );
      return chatCompletion(message, clock.now());
    },
    stream: (request, signal) => {
      const body = given(request);
      const events = streamWithoutProviderWords(signal, () =>
        client.messages.create({ ...body, stream: true }, { signal }),
      );
      return chatChunks(events, clock.now());
    },
  };
}
