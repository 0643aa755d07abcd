import { expect, it } from 'vitest';
import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { parseInput } from '#platform/server/parse-input';
import { isOfPublicApi, problemOf } from '#platform/server/problem-answers';

const sent = (error: CloudError) => problemOf(error, 'abc');

it('a wrong parameter is named', () => {
  const schema = z.strictObject({ limit: z.coerce.number().int().max(100), order: z.enum(['asc', 'desc']) });
  const error = (() => {
    try {
      parseInput(schema, { limit: '101', order: 'up' });
    } catch (thrown) {
      return thrown as CloudError;
    }
    throw new Error('It was taken.');
  })();
  expect(sent(error)).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_parameter',
      type: 'urn:vendor-cloud:problem:invalid-parameter',
      errors: [
        { parameter: 'limit', detail: expect.stringContaining('100') },
        { parameter: 'order', detail: expect.any(String) },
      ],
    },
  });
});

it('a fault of the platform says nothing of what happened', () => {
  const store = cloudError(
    'PLATFORM_STORE_UNAVAILABLE',
    'The disk of /srv/platform.sqlite is full.',
    'Free some space.',
  );
  const away = sent(store);
  expect(away).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: { code: 'unavailable' } });
  const bug = sent(cloudError('INTERNAL_BUG', 'select 1 failed'));
  expect(bug).toMatchObject({ status: 500, body: { code: 'internal_error', message: 'Unexpected error' } });
  expect(JSON.stringify([away, bug])).not.toMatch(/disk|sqlite|space|select/);
});

it.each([
  ['/v1', true],
  ['/v1/', true],
  ['/v1?a=1', true],
  ['/v1/project/shop', true],
  ['/v10/project', false],
  ['/agent/v1/activities', false],
])('the address %s is of the public API: %s', (url, expected) => {
  expect(isOfPublicApi({ url })).toBe(expected);
});
