/**
 * The providers of AI features.
 *
 * @module @vendor/cloud/ai-proxy
 */

export { type AiProvider, type AiProviderOptions, createAiProvider } from '#runtime/ai/ai-provider';
export type { AiOptions, AiToolServer } from '#runtime/ai/ai-settings';
