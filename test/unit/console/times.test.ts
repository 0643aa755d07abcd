import { describe, expect, it } from 'vitest';
import { recentText, timeText } from '../../../src/console/values/time-text.ts';

const now = Date.parse('2026-11-30T12:00:00.000Z');
const recent = (at: string) => recentText(at, now, 'Europe/Paris', 'en-GB');

describe('times of the console', () => {
  it('have the date and the time of the zone of the reader, as the reader writes them', () => {
    const at = '2026-11-29T23:30:05.123Z';
    expect(timeText(at, 'Europe/Paris', 'en-GB')).toBe('30 Nov 2026, 00:30:05');
    expect(timeText(at, 'America/New_York', 'en-US').replaceAll('\u202f', ' ')).toBe('Nov 29, 2026, 6:30:05 PM');
    expect(timeText('soon', 'UTC', 'en-GB')).toBe('soon');
  });

  it('say how long ago they were, within a day', () => {
    expect(recent('2026-11-30T11:59:50.000Z')).toBe('now');
    expect(recent('2026-11-30T11:58:59.000Z')).toBe('1 minute ago');
    expect(recent('2026-11-30T09:30:00.000Z')).toBe('2 hours ago');
    expect(recent('2026-11-29T12:00:01.000Z')).toBe('23 hours ago');
  });

  it('have their date, before that day and in the future', () => {
    expect(recent('2026-11-29T12:00:00.000Z')).toBe('29 Nov 2026, 13:00:00');
    expect(recent('2026-11-30T12:00:03.000Z')).toBe('now');
    expect(recent('2026-11-30T12:01:00.000Z')).toBe('30 Nov 2026, 13:01:00');
    expect(recent('never')).toBe('never');
  });
});
