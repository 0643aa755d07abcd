import { expect, it } from 'vitest';
import { withoutUserInfo } from '#kernel/text/without-user-info';

it.each([
  ['postgres://app:hunter2@db/shop', 'postgres://[redacted]@db/shop'],
  [
    'see http://me@proxy:3128 and https://a:b@c.example',
    'see http://[redacted]@proxy:3128 and https://[redacted]@c.example',
  ],
  ['https://example.com/@scope/name', 'https://example.com/@scope/name'],
  ['sqlite:./app@2.sqlite', 'sqlite:./app@2.sqlite'],
])('%s becomes %s', (text, expected) => {
  expect(withoutUserInfo(text)).toBe(expected);
});
