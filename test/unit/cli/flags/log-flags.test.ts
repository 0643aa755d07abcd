import { expect, it } from 'vitest';
import { parseTime } from '#cli/flags/log-flags';

const now = Date.parse('2026-01-31T12:00:00Z');

it.each([
  ['2026-01-31', '2026-01-31T00:00:00Z'],
  ['2026-01-31T12:00Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T00:00:00.5+02:00', '2026-01-30T22:00:00.5Z'],
  ['7d', '2026-01-24T12:00:00Z'],
  ['90m', '2026-01-31T10:30:00Z'],
])('the time %s is %s', (text, expected) => {
  expect(parseTime(text, now)).toBe(Date.parse(expected));
});

it.each([
  '',
  'now',
  'now-1M/d',
  '5',
  '2026',
  '2026-13-01',
  '2026-01-31 12:00',
  '2026-01-31T12:00',
  '2026-01-31T12:00 02:00',
])('"%s" is not a time, and the message shows the forms that are', (text) => {
  expect(() => parseTime(text, now)).toThrow(
    expect.objectContaining({
      code: 'USAGE_INVALID',
      message: `"${text}" is not a time.`,
      nextSteps: [expect.stringContaining('2026-01-31T12:00Z')],
    }),
  );
});
