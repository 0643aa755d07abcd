import { describe, expect, it } from 'vitest';
import { readSecret, readToken, requirePerson } from '#cli/asking/read-secret';
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

async function* stdin(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield new TextEncoder().encode(part);
}

const nobody = { isInteractive: false, prompts: createPrompts() };
const readTokenFrom = (...parts: string[]) => readToken({ isInputTerminal: false, input: stdin(...parts) }, nobody);

it('a token is read from stdin, without the line break that follows it', async () => {
  expect(await readTokenFrom('eyJhbGciOi', 'JIUzI1NiJ9\r\n')).toBe('eyJhbGciOiJIUzI1NiJ9');
});

it.each([
  ['nothing', ['\n'], 'There is no token on stdin.'],
  ['two words', ['Bearer abc'], 'What was given is not a token'],
  ['a file', ['\u0000\u0001binary'], 'What was given is not a token'],
  ['an environment secret', ['abc1'.repeat(16)], 'looks like an environment secret'],
  ['a session token', ['eyJhbGci.eyJabc.c2ln\n'], 'looks like a session token'],
  ['an endless stream', Array.from({ length: 100 }, () => 'a'.repeat(1000)), 'What was given is not a token'],
])('%s on stdin is not a token, and is not repeated', async (_what, parts, message) => {
  const error = await readTokenFrom(...parts).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'USAGE_INVALID', message: expect.stringContaining(message) });
  expect(String(error)).not.toContain('abc');
});

it('a token is not waited for at a terminal where nobody is asked, as under --json', async () => {
  await expect(readToken({ isInputTerminal: true, input: stdin() }, nobody)).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    nextSteps: ['vendor-cloud login --token-stdin < token.txt'],
  });
});

it('a sign-in in a browser is refused in CI and under --json, and not without a terminal', () => {
  const call = (isJson: boolean, variables: Record<string, string>) => () =>
    requirePerson({ terminal: { isJson }, environment: { variables } });
  expect(call(false, {})).not.toThrow();
  expect(call(true, {})).toThrow('Signing in needs a person');
  expect(call(false, { CI: 'true' })).toThrow('Signing in needs a person');
});
