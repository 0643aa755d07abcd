import { describe, expect, it } from 'vitest';
import type { ColumnType } from '#runtime/query/column-type';
import { cellOf, localTimeIn, requireRoom } from '#runtime/spreadsheet/sheet-cell';

const inUtc = localTimeIn('UTC');

describe('a cell', () => {
  it.each<[unknown, ColumnType, string, unknown]>([
    ['0.1', 'Number', 'number', 0.1],
    ['1234567890.12345', 'Number', 'number', 1_234_567_890.123_45],
    ['0.00000123456789012345', 'Number', 'number', 0.000_001_234_567_890_123_45],
    ['9007199254740993', 'Number', 'text', '9007199254740993'],
    ['NaN', 'Number', 'text', 'NaN'],
    [0.1 + 0.2, 'Number', 'number', 0.1 + 0.2],
    ['2024-03-31T10:00:00.123456Z', 'Date', 'text', '2024-03-31T10:00:00.123456Z'],
    ['2024-03-31', 'String', 'text', '2024-03-31'],
    ['1900-02-28', 'Dateonly', 'text', '1900-02-28'],
    ['infinity', 'Dateonly', 'text', 'infinity'],
    [true, 'Boolean', 'boolean', true],
    [{ a: [1] }, 'Json', 'text', '{"a":[1]}'],
  ])('of %j in a column of the type %j is a %s', (value, type, kind, held) => {
    expect(cellOf(value, type, inUtc)).toEqual({ kind, value: held });
  });

  it('is empty where there is no value', () => {
    expect(cellOf(null, 'String', inUtc)).toEqual({ kind: 'empty' });
  });

  it('has the clock of a time zone, to the millisecond', () => {
    const cell = cellOf('2024-07-01T22:30:00.250Z', 'Date', localTimeIn('Europe/Paris'));
    expect(cell).toEqual({ kind: 'instant', value: new Date('2024-07-02T00:30:00.250Z') });
  });

  it('has room in a sheet of 1,048,575 records', () => {
    expect(() => requireRoom(1_048_575)).not.toThrow();
    expect(() => requireRoom(1_048_576)).toThrow('more than 1048575 records');
  });
});
