import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDecimals,
  compareDecimals,
  decimalText,
  divideDecimal,
  type ExactDecimal,
  parseDecimal,
  roundDecimal,
  trimDecimal,
} from '#runtime/query/exact-decimal';

function decimal(text: unknown): ExactDecimal {
  const parsed = parseDecimal(text);
  if (!parsed) throw new Error(`${text} is not a number`);
  return parsed;
}

describe('exact decimals', () => {
  it.each<[unknown, string]>([
    ['12.50', '12.50'],
    ['-0.05', '-0.05'],
    ['.5', '0.5'],
    ['+7.', '7'],
    ['1e3', '1000'],
    ['1.25E-3', '0.00125'],
    [0.1, '0.1'],
    [1e21, '1000000000000000000000'],
    [-5e-7, '-0.0000005'],
    [9007199254740993n, '9007199254740993'],
    ['99999999999999999999999999999999999999', '99999999999999999999999999999999999999'],
  ])('read %s as %s', (value, text) => {
    expect(decimalText(decimal(value))).toBe(text);
  });

  it.each([['abc'], [''], ['1,5'], ['NaN'], [null], [true], ['0x10'], ['.']])('do not read %j', (value) => {
    expect(parseDecimal(value)).toBeUndefined();
  });

  it.each([
    ['9', '10', -1],
    ['-9', '-10', 1],
    ['1.50', '1.5', 0],
    ['0', '-0.000', 0],
    ['0.000000000000000000000001', '0', 1],
    ['9007199254740993', '9007199254740992', 1],
    ['1e400', '1e-400', 1],
    ['-1e1000000000', '1', -1],
    ['1e999999999', '2e999999999', -1],
  ])('compare %s with %s', (a, b, sign) => {
    expect(Math.sign(compareDecimals(decimal(a), decimal(b)))).toBe(sign);
  });

  it('add without losing a digit', () => {
    expect(decimalText(addDecimals(decimal('0.1'), decimal('99999999999999999999999999999.95')))).toBe(
      '100000000000000000000000000000.05',
    );
  });

  it.each([
    ['10', 4n, 1, '2.5'],
    ['1', 3n, 6, '0.333333'],
    ['2', 3n, 6, '0.666667'],
    ['0.5', 1n, 0, '1'],
    ['-0.5', 1n, 0, '-1'],
    ['-0.4', 1n, 0, '0'],
    ['1.005', 1n, 2, '1.01'],
  ])('divide %s by %s with %i digits, halves away from zero', (value, divisor, scale, text) => {
    expect(decimalText(divideDecimal(decimal(value), divisor, scale))).toBe(text);
  });

  it('drop zeros, but none that the scale asks for', () => {
    expect(decimalText(trimDecimal(decimal('2.500000'), 2))).toBe('2.50');
    expect(decimalText(trimDecimal(decimal('0.000000'), 2))).toBe('0.00');
    expect(decimalText(trimDecimal(decimal('2.125000'), 2))).toBe('2.125');
    expect(decimalText(roundDecimal(decimal('12.5'), 4))).toBe('12.5000');
  });

  it('agree with integers', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt(), fc.integer({ min: 0, max: 40 }), (a, b, scale) => {
        const [left, right] = [
          { units: a, scale },
          { units: b, scale },
        ];
        expect(Math.sign(compareDecimals(left, right))).toBe(a < b ? -1 : a > b ? 1 : 0);
        expect(addDecimals(left, right)).toEqual({ units: a + b, scale });
        expect(parseDecimal(decimalText(left))).toEqual(left);
      }),
    );
  });
});
