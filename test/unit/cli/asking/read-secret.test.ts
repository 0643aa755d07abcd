import { describe, expect, it } from 'vitest';
import { readSecret } from '#cli/asking/read-secret';
import { createPrompts } from '#cli/terminal/prompts';

/** Reads from a stdin that holds these parts; without any it is a terminal at which nobody is asked. */
function read(...parts: readonly string[]): Promise<string> {
  async function* input() {
    for (const part of parts) yield Buffer.from(part);
  }
  const stdin = { isInputTerminal: parts.length === 0, input: input() };
  return readSecret(
    stdin,
    { isInteractive: false, prompts: createPrompts() },
    { variable: 'API_KEY', environment: 'staging' },
  );
}

describe('a secret on stdin', () => {
  it.each([
    ['without its last line break', ['hush', 'ed\n'], 'hushed'],
    ['without the line break of Windows', ['hushed\r\n'], 'hushed'],
    ['with the other line breaks and blanks', [' a\nb \n\n'], ' a\nb \n'],
  ])('is read %s', async (_what, parts, expected) => {
    expect(await read(...parts)).toBe(expected);
  });

  it.each([
    ['nothing stands there', ['\n'], 'is missing'],
    ['nobody can be asked', [], 'is missing'],
    ['it is too long', ['x'.repeat(128 * 1024), 'y'], 'has more than'],
  ])('is refused when %s', async (_what, parts, reason) => {
    await expect(read(...parts)).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringMatching(new RegExp(`^The value of API_KEY ${reason}`)),
    });
  });

  it('names its variable and its environment in the command to call', async () => {
    await expect(read()).rejects.toMatchObject({
      nextSteps: ['Pipe it into the command: vendor-cloud variables set API_KEY --env staging < file-with-the-value'],
    });
  });
});
