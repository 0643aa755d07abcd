import { expect, it } from 'vitest';
import { readToken } from '#cli/asking/read-secret';
import { createPrompts } from '#cli/terminal/prompts';

async function* stdin(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield new TextEncoder().encode(part);
}

const nobody = { isInteractive: false, prompts: createPrompts() };
const read = (...parts: string[]) => readToken({ isInputTerminal: false, input: stdin(...parts) }, nobody);

it('a token is read from stdin, without the line break that follows it', async () => {
  expect(await read('eyJhbGciOi', 'JIUzI1NiJ9\r\n')).toBe('eyJhbGciOiJIUzI1NiJ9');
});

it.each([
  ['nothing', ['\n'], 'There is no token on stdin.'],
  ['two words', ['Bearer abc'], 'What was given is no token'],
  ['a file', ['\u0000\u0001binary'], 'What was given is no token'],
  ['an environment secret', ['abc1'.repeat(16)], 'looks like an environment secret'],
  ['a session token', ['eyJhbGci.eyJabc.c2ln\n'], 'looks like a session token'],
  ['an endless stream', Array.from({ length: 100 }, () => 'a'.repeat(1000)), 'What was given is no token'],
])('%s on stdin is no token, and is not repeated', async (_what, parts, message) => {
  const error = await read(...parts).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'USAGE_INVALID', message: expect.stringContaining(message) });
  expect(String(error)).not.toContain('abc');
});

it('a token is not waited for at a terminal where nobody is asked, as under --json', async () => {
  await expect(readToken({ isInputTerminal: true, input: stdin() }, nobody)).rejects.toMatchObject({
    code: 'USAGE_INVALID',
    nextSteps: ['vendor-cloud login --token-stdin < token.txt'],
  });
});
