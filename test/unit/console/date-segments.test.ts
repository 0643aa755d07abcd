import { describe, expect, it } from 'vitest';
import {
  type DateKind,
  offsetsOfSegments,
  type SegmentName,
  type Segments,
  segmentNames,
  segmentsOf,
  stepped,
  textOfSegments,
  typedInto,
} from '../../../src/console/values/date-segments.ts';

const zone = 'Europe/Paris';

function partsOf(text: string, kind: DateKind): Segments {
  const segments = segmentsOf(text, kind, zone);
  if (!segments) throw new Error(`"${text}" has no parts.`);
  return segments;
}

describe('the parts of a date field', () => {
  it.each([
    ['2026-03-31', 'Dateonly', '2026-03-31'],
    ['0001-01-01', 'Dateonly', '0001-01-01'],
    ['09:30:00.123456', 'Time', '09:30:00.123456'],
    ['09:30', 'Time', '09:30:00'],
    ['2026-06-01 12:00:00.250+02:00', 'Date', '2026-06-01 12:00:00.250+02:00'],
    ['0001-01-01 00:09:21+00:09:21', 'Date', '0001-01-01 00:09:21+00:09:21'],
    ['2026-06-01T10:00Z', 'Date', '2026-06-01 12:00:00+02:00'],
    ['2026-06-01T10:00:00-05:00', 'Date', '2026-06-01 17:00:00+02:00'],
    ['2026-06-01 12:00', 'Date', '2026-06-01 12:00:00+02:00'],
    ['2026-10-25 02:30:00+01:00', 'Date', '2026-10-25 02:30:00+01:00'],
    ['2026-1-', 'Dateonly', '2026-1-'],
    ['', 'Date', ''],
  ] as const)('read %j of type %s as %j', (text, kind, again) => {
    expect(textOfSegments(partsOf(text, kind), kind, zone)).toBe(again);
  });

  it.each(['yesterday', '31.03.2026', '2026-02-30T10:00Z'])('are not there in %j', (text) => {
    expect(segmentsOf(text, 'Date', zone)).toBeUndefined();
  });

  it('leave the offset open for an hour that the zone skips, and for one that it has twice (case 11)', () => {
    const skipped = partsOf('2026-03-29 02:30', 'Date');
    expect([offsetsOfSegments(skipped, zone), textOfSegments(skipped, 'Date', zone)]).toEqual([
      [],
      '2026-03-29 02:30:00',
    ]);
    const twice = partsOf('2026-10-25 02:30', 'Date');
    expect(offsetsOfSegments(twice, zone)).toEqual(['+02:00', '+01:00']);
    expect(textOfSegments(twice, 'Date', zone)).toBe('2026-10-25 02:30:00');
    expect(textOfSegments({ ...twice, offset: '+01:00' }, 'Date', zone)).toBe('2026-10-25 02:30:00+01:00');
  });

  it('drop an offset that the zone does not have at another time', () => {
    const summer = partsOf('2026-06-01 12:00:00+02:00', 'Date');
    expect(textOfSegments({ ...summer, month: '12' }, 'Date', zone)).toBe('2026-12-01 12:00:00+01:00');
  });

  it.each([
    ['2026-01-31', 'day', 1, '2026-01-01'],
    ['2024-02-28', 'day', 1, '2024-02-29'],
    ['2026-02-28', 'day', 1, '2026-02-01'],
    ['2026-01-01', 'month', -1, '2026-12-01'],
    ['9999-01-01', 'year', 1, '0001-01-01'],
    ['', 'year', 1, '2026--'],
  ] as const)('step %j by its %s', (text, name, by, next) => {
    const first = partsOf('2026-11-27', 'Dateonly');
    expect(textOfSegments(stepped(partsOf(text, 'Dateonly'), name, by, first), 'Dateonly', zone)).toBe(next);
  });

  it.each([
    ['month', '1', '1', false],
    ['month', '4', '04', true],
    ['month', '12', '12', true],
    ['day', '3x', '3', false],
    ['hour', '3', '03', true],
    ['year', '202', '202', false],
    ['year', '20267', '2026', true],
    ['fraction', '123456', '123', false],
  ] as const)('take into the %s what is typed as %j', (name: SegmentName, text, digits, isFull) => {
    const typed = typedInto(partsOf('', 'Date'), name, text, 'Date');
    expect([typed.segments[name], typed.isFull]).toEqual([digits, isFull]);
  });

  it('have a fraction where the value has one', () => {
    expect(segmentNames('Time', partsOf('09:30:00.5', 'Time'))).toEqual(['hour', 'minute', 'second', 'fraction']);
    expect(segmentNames('Time', partsOf('09:30:00', 'Time'))).toEqual(['hour', 'minute', 'second']);
  });
});
