import { describe, expect, it } from 'vitest';
import { readSecret } from '#cli/read-secret';
import type { Session } from '#cli/session';
import { createTerminal } from '#cli/terminal';
import { processEnvironment } from '#host/environment/process-environment';

/** A run whose stdin holds these parts; without any it is a terminal. */
function session(...parts: readonly string[]): Session {
  async function* input() {
    for (const part of parts) yield Buffer.from(part);
  }
  const environment = {
    ...processEnvironment,
    isInputTerminal: parts.length === 0,
    isErrorTerminal: false,
    input: input(),
  };
  return {
    environment,
    terminal: createTerminal(environment, { isJson: false, hasColor: false }),
    interrupted: new AbortController().signal,
    onInterrupt: () => () => undefined,
    serve: () => undefined,
    interrupt: () => undefined,
    handOverSignals: () => () => undefined,
  };
}

describe('a secret on stdin', () => {
  it.each([
    ['without its last line break', ['hush', 'ed\n'], 'hushed'],
    ['without the line break of Windows', ['hushed\r\n'], 'hushed'],
    ['with the other line breaks and blanks', [' a\nb \n\n'], ' a\nb \n'],
  ])('is read %s', async (_what, parts, expected) => {
    expect(await readSecret(session(...parts), 'The value')).toBe(expected);
  });

  it.each([
    ['nothing stands there', ['\n'], 'is missing'],
    ['nobody can be asked', [], 'is missing'],
    ['it is too long', ['x'.repeat(128 * 1024), 'y'], 'has more than'],
  ])('is refused when %s', async (_what, parts, reason) => {
    await expect(readSecret(session(...parts), 'The value')).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining(reason),
    });
  });
});
