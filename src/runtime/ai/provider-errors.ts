import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** Load the SDK of a provider, which is installed only where somebody uses it. */
export async function loadSdk<Sdk>(name: string, load: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await load();
  } catch (cause) {
    throw cloudError(
      'AI_PACKAGE_MISSING',
      `The package "${name}" cannot be loaded, which the provider of the model needs.`,
      `Install it beside the agent: npm install ${name}`,
      { cause },
    );
  }
}

/**
 * Ask a provider. What it says of an error may hold a part of the key or of the conversation, so it is neither told nor kept as a
 * cause. That it refuses the agent is not a refusal of the person who asks: a 401 of the provider is never one of the agent.
 */
export async function withoutProviderWords<Answer>(
  signal: AbortSignal,
  ask: () => PromiseLike<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    throw providerError(statusOf(error));
  }
}

/** The same of a stream, which may also fail in the middle. */
export async function* streamWithoutProviderWords<Chunk>(
  signal: AbortSignal,
  open: () => PromiseLike<AsyncIterable<Chunk>>,
): AsyncGenerator<Chunk> {
  const chunks = await withoutProviderWords(signal, open);
  const next = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await withoutProviderWords(signal, () => next.next());
      if (done) return;
      yield value;
    }
  } finally {
    await next.return?.();
  }
}

function statusOf(error: unknown): number | undefined {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

function providerError(status: number | undefined): CloudError {
  if (status === 400 || status === 413 || status === 422) {
    return cloudError(
      'AI_REQUEST_REFUSED',
      `The provider of the model does not take the conversation (${status}).`,
      'Shorten it, and check that each answer of a tool follows the call that asked for it.',
    );
  }
  if (status === undefined || status === 429 || status >= 500) {
    const reason = status === undefined ? 'gave no whole answer' : `answered ${status}`;
    return cloudError('AI_PROVIDER_UNAVAILABLE', `The provider of the model ${reason}.`, 'Try again in a moment.');
  }
  return cloudError(
    'AI_PROVIDER_REFUSED',
    `The provider of the model refuses the agent (${status}).`,
    'Check the key, the model and the account of the provider that addAi names.',
  );
}
