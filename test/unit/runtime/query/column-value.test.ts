import { describe, expect, it } from 'vitest';
import type { ColumnType } from '#runtime/query/column-type';
import { columnValueProblem } from '#runtime/query/column-value';

const problem = (type: ColumnType, value: unknown, isExact = false) => columnValueProblem({ type, isExact }, value);

describe('columnValueProblem', () => {
  it.each<[ColumnType, unknown]>([
    ['String', ''],
    ['Number', 1.5],
    ['Number', '12'],
    ['Number', '2020'],
    ['Boolean', false],
    ['Date', '2024-04-01T10:00:00+02:00'],
    ['Dateonly', '2024-02-29'],
    ['Time', '23:59:59'],
    ['Uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'],
    ['Point', '1.5,-2'],
    ['Json', { any: ['thing'] }],
    ['Binary', 'data:text/plain;base64,aGk='],
    ['Binary', 'ff00'],
    [['Number'], [1, 2, null]],
    [{ street: 'String' }, { street: 'x' }],
    ['String', null],
  ])('accepts %j: %j', (type, value) => {
    expect(problem(type, value)).toBeUndefined();
  });

  it.each<[ColumnType, unknown]>([
    ['String', 12],
    ['Number', '1.5'],
    ['Number', Number.NaN],
    ['Number', Number.POSITIVE_INFINITY],
    ['Number', ''],
    ['Boolean', 'true'],
    ['Boolean', 1],
    ['Date', '2024-04-01'],
    ['Date', 1711965600],
    ['Date', '2024-13-01T00:00:00Z'],
    ['Dateonly', '2023-02-29'],
    ['Dateonly', '2024-04-01T00:00:00Z'],
    ['Time', '25:00'],
    ['Uuid', 'not-a-uuid'],
    ['Point', '1'],
    ['Binary', 'xyz'],
    [['Number'], 1],
    [['Number'], ['x']],
    [{ street: 'String' }, 'x'],
  ])('refuses %j: %j', (type, value) => {
    expect(problem(type, value)).toEqual(expect.any(String));
  });

  it('accepts decimals as text where the column is exact', () => {
    expect(problem('Number', '12345678901234567890.12', true)).toBeUndefined();
    expect(problem('Number', '12,50', true)).toEqual(expect.any(String));
  });

  it('accepts the durations that a time of MySQL holds, and no others', () => {
    const ofDuration = (value: string) => columnValueProblem({ type: 'Time', isExact: false, isDuration: true }, value);
    const held = ['10:00:00', '24:00:00', '-12:30:00', '100:00:00.5', '838:59:59', '-838:59:59'];
    expect(held.map(ofDuration)).toEqual(held.map(() => undefined));
    expect(held.slice(2).map((value) => problem('Time', value))).toEqual(held.slice(2).map(() => expect.any(String)));
    const wanted = 'a time of the form HH:MM:SS, from -838:59:59 to 838:59:59';
    expect(['839:00:00', '900:00:00', '1000:00:00', '10:60:00', '1:00:00'].map(ofDuration)).toEqual(
      Array(5).fill(wanted),
    );
  });

  it('names the values of an enum', () => {
    const column = { type: 'Enum', isExact: false, enumValues: ['open', 'paid'] } as const;
    expect(columnValueProblem(column, 'open')).toBeUndefined();
    expect(columnValueProblem(column, 'gone')).toBe('one of "open", "paid"');
  });
});
