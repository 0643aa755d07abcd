import { expect, it } from 'vitest';
import { retryAfterSeconds } from '#kernel/rates/rate-policy';

const now = Date.parse('2026-01-01T00:00:00Z');

it.each([
  ['7', 7],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:09 GMT', 9],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After: %s asks to wait %s seconds', (header, seconds) => {
  expect(retryAfterSeconds(header, now)).toBe(seconds);
});
