import { describe, expect, it } from 'vitest';
import { readInstant, readTime, writeInstant } from '#runtime/data-sources/postgres/postgres-values';

describe('an instant of PostgreSQL', () => {
  it.each([
    ['2024-03-31 01:30:00', '2024-03-31T01:30:00.000Z'],
    ['2024-03-31 01:30:00.1+00', '2024-03-31T01:30:00.100Z'],
    ['2024-03-31 01:30:00.123999+00', '2024-03-31T01:30:00.123Z'],
    ['2024-03-31 01:30:00+05:30', '2024-03-30T20:00:00.000Z'],
    ['1890-01-01 00:00:00-04:56:02', '1890-01-01T04:56:02.000Z'],
    ['0044-03-15 12:00:00+00 BC', '-000043-03-15T12:00:00.000Z'],
    ['0001-01-01 00:00:00+00 BC', '0000-01-01T00:00:00.000Z'],
    ['12024-01-01 00:00:00+00', '+012024-01-01T00:00:00.000Z'],
    ['infinity', 'infinity'],
  ])('%s is read as %s', (text, read) => {
    expect(readInstant(text)).toBe(read);
  });

  it.each<[unknown, string]>([
    ['2024-03-31T03:30:00+02:00', '2024-03-31T01:30:00.000Z'],
    ['2024-03-31T01:30', '2024-03-31T01:30:00.000Z'],
    ['2024-03-31T01:30:00.123456Z', '2024-03-31T01:30:00.123456Z'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
  ])('%s is bound as %s', (value, bound) => {
    expect(writeInstant(value)).toBe(bound);
  });
});

describe('a time of PostgreSQL', () => {
  it.each([
    ['10:20:30', '10:20:30'],
    ['10:20:30.5', '10:20:30.500'],
    ['10:20:30.0004', '10:20:30.0004'],
    ['10:20:30+02', '10:20:30+02:00'],
    ['10:20:30.25-05:30', '10:20:30.250-05:30'],
  ])('%s is read as %s', (text, read) => {
    expect(readTime(text)).toBe(read);
  });
});
