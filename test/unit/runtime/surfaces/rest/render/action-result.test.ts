import { expect, it } from 'vitest';
import { createActionResponse } from '#runtime/surfaces/rest/render/action-result';

it('a webhook is made of what JSON can say', () => {
  const { builder } = createActionResponse();
  expect(builder.webhook('https://example.test', 'POST', {}, { ids: [1] })).toMatchObject({ body: { ids: [1] } });
  const refused = () => builder.webhook('https://example.test', 'POST', {}, { total: 1n });
  expect(refused).toThrow(/^The body of a webhook cannot be sent as JSON: /);
});
