import { describe, expect, it } from 'vitest';
import { createResultBuilder, resultOf } from '#runtime/actions/action-code';

describe('the result builder', () => {
  it('makes webhooks of what JSON can say', () => {
    const { builder } = createResultBuilder();
    expect(builder.webhook('https://example.test', 'POST', {}, { ids: [1] })).toMatchObject({ body: { ids: [1] } });
    const refused = () => builder.webhook('https://example.test', 'POST', {}, { total: 1n });
    expect(refused).toThrow(/^The body of a webhook cannot be sent as JSON: /);
  });

  it('calls a file "file", of bytes, unless told otherwise', () => {
    const { builder } = createResultBuilder();
    expect(builder.file('x')).toEqual({
      type: 'file',
      content: 'x',
      name: 'file',
      mimeType: 'application/octet-stream',
    });
    expect(builder.file('x', 'x.csv', 'text/csv')).toMatchObject({ name: 'x.csv', mimeType: 'text/csv' });
  });

  it.each<[string, keyof ReturnType<typeof createResultBuilder>['builder'], unknown[], string]>([
    ['a message that is a number', 'success', [3], 'The message must be a text.'],
    ['an error that is an object', 'error', [{ message: 'no' }], 'The message must be a text.'],
    ['HTML that is a list', 'success', ['ok', { html: [] }], '"html" must be a text.'],
    ['one name for a list of names', 'success', ['ok', { invalidated: 'lines' }], '"invalidated" must be a list'],
    ['a misspelt option', 'success', ['ok', { invalidate: [] }], 'Did you mean "invalidated"?'],
    [
      'an address that is an object',
      'webhook',
      [new URL('https://x.test')],
      'The address of a webhook must be a text.',
    ],
    ['headers that are numbers', 'webhook', ['https://x.test', 'POST', { age: 3 }], 'an object of texts'],
    ['a name that is not a text', 'file', ['content', 3], 'The name of a file must be a text.'],
    ['a path that is missing', 'redirectTo', [], 'The path of a redirection must be a text.'],
    ['a header that is a number', 'setHeader', ['x-age', 3], 'A header must be a name and a text.'],
  ])('refuses %s', (_what, method, given, problem) => {
    const { builder } = createResultBuilder();
    expect(() => Reflect.apply(builder[method], builder, given)).toThrow(problem);
  });
});

describe('the result of an action', () => {
  it('is a result of the builder, or none', () => {
    const { builder } = createResultBuilder();
    expect(resultOf(builder.redirectTo('/orders'))).toEqual({ type: 'redirect', path: '/orders' });
    expect([resultOf(undefined), resultOf(null)]).toEqual([undefined, undefined]);
  });

  it.each([
    ['a text', 'done'],
    ['an object of another type', { type: 'chart' }],
  ])('is not %s', (_what, returned) => {
    expect(() => resultOf(returned)).toThrow(expect.objectContaining({ code: 'CUSTOMIZATION_FAILED' }));
  });
});
