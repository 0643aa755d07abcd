export { type AiProvider, type AiProviderOptions, createAiProvider } from '#runtime/ai/ai-provider';
