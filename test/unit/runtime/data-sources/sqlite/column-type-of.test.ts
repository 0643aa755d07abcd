import { describe, expect, it } from 'vitest';
import { columnTypeOf, scaleOf } from '#runtime/data-sources/sqlite/sqlite-columns';

describe('columnTypeOf', () => {
  it.each([
    ['INTEGER', 'Number', false],
    ['tinyint(1)', 'Number', false],
    ['BIGINT', 'Number', true],
    ['DECIMAL(12, 2)', 'Number', true],
    ['numeric', 'Number', true],
    ['double precision', 'Number', false],
    ['VARCHAR(20)', 'String', false],
    ['', 'String', false],
    ['boolean', 'Boolean', false],
    ['date', 'Dateonly', false],
    ['timestamp with time zone', 'Date', false],
    ['time', 'Time', false],
    ['jsonb', 'Json', false],
    ['blob', 'Binary', false],
    ['uuid', 'Uuid', false],
  ])('reads %s as %s', (declared, type, isExact) => {
    expect(columnTypeOf(declared)).toEqual({ type, isExact });
  });

  it('knows the digits after the point where the type tells', () => {
    expect([scaleOf('DECIMAL(12, 4)'), scaleOf('numeric(5)'), scaleOf('decimal'), scaleOf('bigint')]).toEqual([
      4,
      0,
      undefined,
      undefined,
    ]);
  });
});
