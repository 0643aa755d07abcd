import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createAiProvider } from '#runtime/ai/ai-provider';

const valid = { name: 'main', provider: 'anthropic' as const, model: 'a-model', apiKey: 'sk-secret' };

describe('an AI provider', () => {
  it('is frozen and does not show its key', () => {
    const provider = createAiProvider(valid);
    expect(provider.apiKey).toBe('sk-secret');
    expect(Object.isFrozen(provider)).toBe(true);
    expect(JSON.stringify(provider) + inspect(provider)).not.toContain('sk-secret');
  });

  it('names the nearest option for one that does not exist', () => {
    const misspelt = { ...valid, apikey: 'x' };
    expect(() => createAiProvider(misspelt)).toThrow('the nearest one is "apiKey"');
  });

  it.each(['name', 'provider', 'model', 'apiKey'])('is refused without %s', (option) => {
    expect(() => createAiProvider({ ...valid, [option]: '' })).toThrow(
      expect.objectContaining({ code: 'AGENT_OPTION_INVALID', message: expect.stringContaining(`"${option}"`) }),
    );
  });
});
