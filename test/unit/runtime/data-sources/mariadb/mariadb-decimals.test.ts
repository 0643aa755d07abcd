import { describe, expect, it } from 'vitest';
import { decimalOperand, fittingDecimal, operandScale } from '#runtime/data-sources/mariadb/mariadb-decimals';

describe('the operand of a decimal comparison', () => {
  it.each([
    ['1.50', 4, '1.50'],
    ['1e3', 2, '1000'],
    [0.1, 4, '0.1'],
    [-7n, 4, '-7'],
    ['1.00001', 4, '1.0001'],
    ['-1.00001', 4, '-1.0001'],
    ['1.00019', 4, '1.0001'],
    ['1.00001000', 5, '1.00001'],
    ['1e-400', 2, '0.01'],
    ['-1e-999999999', 2, '-0.01'],
    ['1e999999999', 2, `${'9'.repeat(63)}.99`],
    ['-1e70', 2, `-${'9'.repeat(63)}.99`],
    ['0e999999999', 2, '0'],
    ['word', 2, null],
  ])('rounds %s at scale %i to %s', (value, scale, expected) => {
    expect(decimalOperand(value, scale)).toBe(expected);
  });

  it('leaves room for the digits of the column before the point, and one more', () => {
    expect([operandScale(20, 0), operandScale(32, 2), operandScale(10, 38)]).toEqual([30, 30, 38]);
  });
});

describe('a value that a decimal column may hold', () => {
  it.each([
    ['1.50', 10, 2, '1.50'],
    ['1.500', 10, 2, '1.500'],
    ['1.505', 10, 2, undefined],
    ['1e9', 10, 2, '1000000000'],
    ['1e11', 10, 2, undefined],
    ['0.000', 10, 2, '0'],
    ['1e999999999', 10, 2, undefined],
    ['x', 10, 2, undefined],
  ])('%s in %i and %i digits is %s', (value, whole, scale, expected) => {
    expect(fittingDecimal(value, whole, scale)).toBe(expected);
  });
});
