import { describe, expect, it } from 'vitest';
import { figuresIn, rowsOf, shapeOf, shapeOfRecords } from '../../../src/console/chart/chart-shape.ts';

describe('the shape of a chart', () => {
  it.each([
    [{ countCurrent: 12, countPrevious: 10 }, 'value', [['12', '10']]],
    [{ countCurrent: null }, 'value', [['–']]],
    [62, 'percentage', [['62 %']]],
    ['12345678901234567890', 'percentage', [['12,345,678,901,234,567,890 %']]],
    [{ value: 3, objective: 10 }, 'objective', [['3', '10']]],
    [[{ key: 'paid', value: 3 }], 'shares', [['paid', '3']]],
    [[{ label: 'May', values: { value: null } }], 'lines', [['May', '–']]],
    [
      {
        labels: ['May', 'June'],
        values: [
          { key: 'a', values: [1, 2] },
          { key: 'b', values: [3, 4] },
        ],
      },
      'lines',
      [
        ['May', '1', '3'],
        ['June', '2', '4'],
      ],
    ],
    [{ anything: true }, 'smart', [['{\n  "anything": true\n}']]],
    // An empty distribution or ranking, and lines without points.
    [[], 'nothing', []],
    [{ labels: [], values: [] }, 'nothing', []],
    [{ labels: [], values: [{ key: 'a', values: [] }] }, 'nothing', []],
    [null, 'nothing', []],
  ])('of %j is %s', (value, kind, rows) => {
    const shape = shapeOf(value);
    expect(shape.kind).toBe(kind);
    expect(rowsOf(shape, 'en')).toEqual(rows);
  });
});

describe('the shape of a chart over records', () => {
  it.each(['Pie', 'Line', 'Leaderboard'] as const)('is nothing where a %s finds no record', (type) => {
    const chart = { title: 'A', collection: 'orders', type, aggregator: 'Count' } as const;
    expect(shapeOfRecords([], chart)).toEqual({ kind: 'nothing' });
  });
});

describe('figures', () => {
  it.each([
    [123456789012, '123,456,789,012'],
    [-1234.5, '-1,234.5'],
    ['12345678901234567890.12345678901234567891', '12,345,678,901,234,567,890.12345678901234567891'],
    [0.1, '0.1'],
    // More digits than the format keeps stay as they are.
    [1e-30, '1e-30'],
    ['0.123456789012345678901', '0.123456789012345678901'],
    [null, '–'],
  ])('of %j are read as %s', (figure, text) => {
    expect(figuresIn('en')(figure)).toBe(text);
  });
});
