import { describe, expect, it } from 'vitest';
import { aggregateRecords } from '#runtime/query/aggregate-records';
import type { Aggregation } from '#runtime/query/aggregation';
import type { ColumnSchema } from '#runtime/query/collection-schema';
import { firstDayOfBucket } from '#runtime/query/date-parts';

const exact = { type: 'Number', isExact: true } as ColumnSchema;
const inexact = { type: 'Number', isExact: false } as ColumnSchema;

function valueOfAll(operation: Aggregation['operation'], values: readonly unknown[], column: ColumnSchema): unknown {
  const records = values.map((x) => ({ x }));
  const [row] = aggregateRecords(records, { operation, field: 'x', groups: [] }, () => column, 'UTC');
  return row?.value;
}

describe('aggregates in memory', () => {
  it('keep every digit of exact numbers, and the scale of the column', () => {
    expect(valueOfAll('Sum', ['0.10', '0.20', null], exact)).toBe('0.30');
    expect(valueOfAll('Sum', ['99999999999999999999999999999999999999', '1'], exact)).toBe(`1${'0'.repeat(38)}`);
    expect(valueOfAll('Avg', ['1.00', '2.00'], exact)).toBe('1.50');
    expect(valueOfAll('Avg', ['1.00', '0.00', '0.00'], exact)).toBe('0.33333333');
    expect(valueOfAll('Avg', ['-1.00', '-1.00', '0.00'], exact)).toBe('-0.66666667');
    expect(valueOfAll('Avg', ['4', '6'], exact)).toBe('5');
    expect(valueOfAll('Max', ['9.00', '10.00'], exact)).toBe('10.00');
  });

  it('do not add up the errors of floating-point numbers', () => {
    expect(valueOfAll('Sum', Array(10).fill(0.1), inexact)).toBe(1);
    expect(valueOfAll('Sum', [1e100, 1, -1e100], inexact)).toBe(1);
  });

  it('are null of nothing, except for Count', () => {
    expect(valueOfAll('Sum', [null], exact)).toBeNull();
    expect(valueOfAll('Avg', [], inexact)).toBeNull();
    expect(valueOfAll('Count', [null, null], exact)).toBe(0);
  });

  it('put equal numbers in one group, however they are written', () => {
    const records = [{ x: '1.50' }, { x: '1.5' }, { x: null }];
    const rows = aggregateRecords(records, { operation: 'Count', groups: [{ field: 'x' }] }, () => exact, 'UTC');
    expect(rows.map(({ value }) => value)).toEqual([2, 1]);
  });
});

describe('calendar stretches', () => {
  it.each([
    ['2024-03-30T23:30:00.000Z', 'Day', 'Europe/Paris', '2024-03-31'],
    ['2024-03-31T22:30:00.000Z', 'Day', 'Europe/Paris', '2024-04-01'],
    ['2024-03-31T21:30:00.000Z', 'Month', 'Europe/Paris', '2024-03-01'],
    ['2024-12-29T18:29:59.999Z', 'Week', 'Asia/Kolkata', '2024-12-23'],
    ['2024-12-29T18:30:00.000Z', 'Week', 'Asia/Kolkata', '2024-12-30'],
    ['2024-11-03T05:30:00.000Z', 'Day', 'America/New_York', '2024-11-03'],
    ['2024-12-31', 'Quarter', 'Pacific/Kiritimati', '2024-10-01'],
    ['2024-01-01', 'Year', 'Pacific/Niue', '2024-01-01'],
  ] as const)('%s by %s in %s begins on %s', (value, bucket, zone, day) => {
    expect(firstDayOfBucket(value, bucket, zone)).toBe(day);
  });
});
