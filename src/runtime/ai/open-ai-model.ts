import type { ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions';
import type { ChatModel } from './ai-provider.ts';
import type { AiSettings } from './ai-settings.ts';
import { providerFetch } from './bounded-fetch.ts';
import type { ChatRequest } from './chat-request.ts';
import { loadSdk, streamWithoutProviderWords, withoutProviderWords } from './provider-errors.ts';

export async function openAiModel({ provider, maxOutputTokens }: AiSettings): Promise<ChatModel> {
  const { default: OpenAI } = await loadSdk('openai', () => import('openai'));
  const client = new OpenAI({
    apiKey: provider.apiKey,
    baseURL: provider.baseUrl ?? 'https://api.openai.com/v1',
    // What the environment says of other programs does not count here.
    organization: null,
    project: null,
    logLevel: 'off',
    maxRetries: 0,
    fetch: providerFetch,
  });
  // A checked conversation has no members that are undefined, which its type cannot say.
  const given = ({ stream: _, ...request }: ChatRequest) =>
    ({
      ...request,
      model: provider.model,
      ...(maxOutputTokens === undefined ? {} : { max_completion_tokens: maxOutputTokens }),
    }) as Omit<ChatCompletionCreateParamsBase, 'stream'>;
  return {
    complete: (request, signal) =>
      withoutProviderWords(signal, async () => {
        const answer: unknown = await client.chat.completions.create({ ...given(request), stream: false }, { signal });
        if (typeof answer !== 'object' || answer === null) throw new TypeError('The answer is not a completion.');
        return answer;
      }),
    stream: (request, signal) =>
      streamWithoutProviderWords(signal, () =>
        client.chat.completions.create({ ...given(request), stream: true }, { signal }),
      ),
  };
}
