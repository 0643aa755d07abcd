import { expect, it } from 'vitest';
import { createRateLimit } from '#runtime/surfaces/mcp/oauth/rate-limit';
import { createManualTime } from '../../../../../helpers/manual-time.ts';

it('a rate limit counts each key by itself, and begins anew after a minute', () => {
  const time = createManualTime();
  const limit = createRateLimit(2, time.clock);
  expect([limit.take('a'), limit.take('a')]).toEqual([undefined, undefined]);
  time.pass(15_000);
  expect(limit.take('a')).toBe(45);
  expect(limit.take('b')).toBeUndefined();
  time.pass(45_000);
  expect(limit.take('a')).toBeUndefined();
});
