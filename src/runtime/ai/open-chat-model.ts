import type { Clock } from '#kernel/ports/clock';
import type { AiSettings } from './ai-settings.ts';
import type { ChatModel } from './chat-model.ts';

/** The SDK of a provider is loaded when the first conversation comes. */
export async function openChatModel(settings: AiSettings, clock: Clock): Promise<ChatModel> {
  if (settings.provider.provider === 'openai') {
    const { openAiModel } = await import('./open-ai-model.ts');
    return openAiModel(settings);
  }
  const { anthropicModel } = await import('./anthropic-model.ts');
  return anthropicModel(settings, clock);
}
