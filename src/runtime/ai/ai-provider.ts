import { z } from 'zod';
import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';

const optionsSchema = z.strictObject({
  name: z.string().trim().min(1, 'it must not be empty'),
  provider: z.enum(['openai', 'anthropic']),
  model: z.string().trim().min(1, 'it must not be empty'),
  apiKey: z.string().min(1, 'it must not be empty'),
});

/** The model that the AI features use, and its provider, under a name of your own. */
export type AiProviderOptions = z.input<typeof optionsSchema>;

/** A checked definition of a provider. The key is not enumerable, so that it is not printed or serialised by accident. */
export interface AiProvider {
  readonly name: string;
  readonly provider: 'openai' | 'anthropic';
  readonly model: string;
  readonly apiKey: string;
}

/**
 * Define an AI provider. Nothing is loaded or called yet.
 *
 * @throws `AGENT_OPTION_INVALID`, which names the option and never its value.
 */
export function createAiProvider(options: AiProviderOptions): AiProvider {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success) throw invalid(parsed.error.issues[0]);
  const { apiKey, ...definition } = parsed.data;
  const provider: AiProvider = Object.defineProperty({ ...definition, apiKey }, 'apiKey', { enumerable: false });
  return Object.freeze(provider);
}

function invalid(issue: z.core.$ZodIssue | undefined): CloudError {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const option = unknown ?? issue?.path.join('.');
  const nearest = unknown === undefined ? undefined : nearestName(unknown, Object.keys(optionsSchema.shape));
  return new CloudError({
    code: 'AGENT_OPTION_INVALID',
    message: `The option "${option ?? ''}" of createAiProvider is invalid: ${issue?.message ?? 'it cannot be read'}.${didYouMean(nearest)}`,
    nextSteps: ['Pass a name, provider ("openai" or "anthropic"), model and apiKey.'],
  });
}
