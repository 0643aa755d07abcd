import { describe, expect, it } from 'vitest';
import { createResultBuilder, resultOf } from '#runtime/actions/action-result-builder';

describe('the result builder', () => {
  it('makes webhooks of what JSON can say', () => {
    const { builder } = createResultBuilder();
    expect(builder.webhook('https://example.test', 'POST', {}, { ids: [1] })).toMatchObject({ body: { ids: [1] } });
    const refused = () => builder.webhook('https://example.test', 'POST', {}, { total: 1n });
    expect(refused).toThrow(/^The body of a webhook cannot be sent as JSON: /);
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
