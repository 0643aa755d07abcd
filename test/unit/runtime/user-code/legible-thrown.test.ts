import { describe, expect, it } from 'vitest';
import { callHandler } from '#runtime/user-code/call-handler';
import { customizationError } from '#runtime/user-code/customization-error';

const refuse = () => {
  throw new Error('never read');
};
const illegible: [string, unknown][] = [
  ['a Proxy that answers nothing', new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse })],
  ['a Proxy that claims to be everything', new Proxy(refuse, { get: () => true, has: () => true })],
  ['an object without a prototype', Object.create(null)],
  ['an error whose message throws', Object.defineProperty(new Error(), 'message', { get: refuse })],
];

describe('an unreadable value that user code throws', () => {
  it.each(illegible)('is a mistake of a handler: %s', async (_what, thrown) => {
    const failing = callHandler('The field "x"', () => {
      throw thrown;
    });
    await expect(failing).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: 'The field "x" threw an error.',
      cause: { message: expect.stringMatching(/^It threw .* cannot be read\.$/) },
    });
  });

  it.each(illegible)('is a mistake of the customization: %s', (_what, thrown) => {
    expect(customizationError(thrown, 'The code', '/project')).toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringMatching(/^The code threw Error: It threw .* cannot be read\.$/),
    });
  });
});
