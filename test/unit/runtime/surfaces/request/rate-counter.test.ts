import { expect, it } from 'vitest';
import { createRateCounter } from '#runtime/surfaces/request/rate-counter';
import { createManualTime } from '../../../../helpers/manual-time.ts';

const policy = { name: 'calls', quota: 2, windowSeconds: 60 };
const other = { name: 'writes', quota: 1, windowSeconds: 60 };

it('a rate counter counts each key by itself, and gives units back one by one', () => {
  const time = createManualTime();
  const counter = createRateCounter(time.clock);
  const take = (key: string) => counter.take([{ policy, key }]);
  expect([take('a'), take('a'), take('a')]).toEqual([undefined, undefined, 30]);
  expect(take('b')).toBeUndefined();
  time.pass(15_000);
  expect(take('a')).toBe(15);
  time.pass(15_000);
  expect(take('a')).toBeUndefined();
});

it('a rate counter takes nothing of one policy where another has no unit left', () => {
  const counter = createRateCounter(createManualTime().clock);
  const both = [policy, other].map((each) => ({ policy: each, key: 'a' }));
  expect([counter.take(both), counter.take(both)]).toEqual([undefined, 60]);
  expect(counter.take([{ policy, key: 'a' }])).toBeUndefined();
});
