import { describe, expect, it } from 'vitest';
import { midnightOf } from '../../../src/console/values/read-zone-time.ts';
import { recentText, timeText } from '../../../src/console/values/time-text.ts';
import { setZone, zone } from '../../../src/console/wire/agent.ts';

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

describe('a day', () => {
  it.each([
    ['2026-03-29', 'Europe/Paris', '2026-03-28T23:00:00.000Z'],
    ['2026-01-15', 'Asia/Kathmandu', '2026-01-14T18:15:00.000Z'],
    ['2026-01-15', 'America/St_Johns', '2026-01-15T03:30:00.000Z'],
    // Clocks go from 23:59 to 1:00.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    // Samoa had no 30 December.
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
    // It has its midnight twice, and begins at the first.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
  ])('begins at midnight, or when clocks pass it: %s in %s', (day, place, begin) => {
    expect(midnightOf(day, place)).toBe(begin);
  });

  it('gives no beginning for a day that the calendar does not have', () => {
    expect(midnightOf('2026-02-30', 'Europe/Paris')).toBeUndefined();
  });
});

describe('the zone that times are shown in', () => {
  it('is that of the machine where the browser does not know the one that somebody chose elsewhere', () => {
    const ofMachine = zone();
    setZone('Asia/Kathmandu');
    expect(zone()).toBe('Asia/Kathmandu');
    setZone('Mars/Olympus');
    expect(zone()).toBe(ofMachine);
  });
});
