import { describe, expect, it } from 'vitest';
import { rowsOf, shapeOf } from '../../../src/console/chart/chart-shape.ts';

describe('the shape of a chart', () => {
  it.each([
    [{ countCurrent: 12, countPrevious: 10 }, 'value', [['12', '10']]],
    [{ countCurrent: null }, 'value', [['–']]],
    [62, 'percentage', [['62 %']]],
    ['12345678901234567890', 'percentage', [['12345678901234567890 %']]],
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
    [[], 'smart', [['[]']]],
  ])('of %j is %s', (value, kind, rows) => {
    const shape = shapeOf(value);
    expect(shape.kind).toBe(kind);
    expect(rowsOf(shape)).toEqual(rows);
  });
});
