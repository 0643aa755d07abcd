import { decimalText, type ExactDecimal, parseDecimal } from '../../query/exact-decimal.ts';

const maxPrecision = 65;
/** MySQL's limit; MariaDB goes up to 38. */
const portableScale = 30;

/** The scale to which a value is cast before it is compared with a column of this many digits: beyond the column's own. */
export function operandScale(whole: number, scale: number): number {
  return Math.max(scale, Math.min(portableScale, maxPrecision - whole - 1));
}

/**
 * The digits of a number, cut to what a DECIMAL(65, scale) holds, so that it compares with every value of fewer digits as the
 * number itself does. What is too large becomes the largest. What is cut off leaves a last digit that is not zero.
 */
export function decimalOperand(value: unknown, scale: number): string | null {
  const decimal = parseDecimal(value);
  if (!decimal) return null;
  const magnitude = String(decimal.units < 0n ? -decimal.units : decimal.units).length - decimal.scale;
  const sign = decimal.units < 0n ? -1n : 1n;
  if (decimal.units === 0n) return '0';
  if (magnitude > maxPrecision - scale) return decimalText({ units: sign * (10n ** 65n - 1n), scale });
  if (magnitude < -scale) return decimalText({ units: sign, scale });
  return decimalText(cut(decimal, sign, scale));
}

/** The value as a DECIMAL of this many digits holds it exactly, or `undefined` when it does not. */
export function fittingDecimal(value: unknown, whole: number, scale: number): string | undefined {
  const decimal = parseDecimal(value);
  if (!decimal) return undefined;
  if (decimal.units === 0n) return '0';
  const digits = String(decimal.units < 0n ? -decimal.units : decimal.units);
  if (digits.length - decimal.scale > whole) return undefined;
  const trimmed = digits.replace(/0+$/, '');
  if (decimal.scale - (digits.length - trimmed.length) > scale) return undefined;
  return decimalText(decimal);
}

function cut(decimal: ExactDecimal, sign: bigint, scale: number): ExactDecimal {
  if (decimal.scale <= scale) return decimal;
  const unit = 10n ** BigInt(decimal.scale - scale);
  const kept = decimal.units / unit;
  const isCut = kept * unit !== decimal.units;
  return { units: isCut && kept % 10n === 0n ? kept + sign : kept, scale };
}
