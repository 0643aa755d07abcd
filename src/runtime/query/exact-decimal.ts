/** The number `units / 10 ** scale`, every digit kept. The scale of a large round number may be negative. */
export interface ExactDecimal {
  readonly units: bigint;
  readonly scale: number;
}

const pattern = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

/** Reads `-12.50`, `1e3`, a JS number by the digits it prints as, a bigint; `undefined` when it is not a number. */
export function parseDecimal(value: unknown): ExactDecimal | undefined {
  if (typeof value === 'bigint') return { units: value, scale: 0 };
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const [, sign, whole = '', fraction = '', exponent] = pattern.exec(String(value).trim()) ?? [];
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const units = BigInt(digits);
  return { units: sign === '-' ? -units : units, scale: fraction.length - Number(exponent ?? 0) };
}

/** Negative, zero or positive. Never writes out an exponent, however large. */
export function compareDecimals(a: ExactDecimal, b: ExactDecimal): number {
  const signs = signOf(a.units) - signOf(b.units);
  if (signs !== 0 || a.units === 0n) return signs;
  const magnitudes = magnitudeOf(a) - magnitudeOf(b);
  if (magnitudes !== 0) return magnitudes * signOf(a.units);
  const scale = Math.max(a.scale, b.scale);
  return signOf(unitsAt(a, scale) - unitsAt(b, scale));
}

export function addDecimals(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

export function subtractDecimals(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  return addDecimals(a, { units: -b.units, scale: b.scale });
}

export function multiplyDecimals(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  return { units: a.units * b.units, scale: a.scale + b.scale };
}

/** A number in any of its forms, its digits written out to the point at least; what is not a number is 0. */
export function plainDecimal(value: unknown): ExactDecimal {
  const { units, scale } = parseDecimal(value) ?? { units: 0n, scale: 0 };
  return scale < 0 ? { units: units * powerOfTen(-scale), scale: 0 } : { units, scale };
}

/** The text with at least this many digits after the point, and no zeros at the end beyond them. */
export function scaledDecimal(a: ExactDecimal, scale: number): ExactDecimal {
  return trimDecimal({ units: unitsAt(a, Math.max(scale, a.scale)), scale: Math.max(scale, a.scale) }, scale);
}

/** `a / divisor` at `scale` digits, halves away from zero. */
export function divideDecimal(a: ExactDecimal, divisor: bigint, scale: number): ExactDecimal {
  return { units: divideRounded(unitsAt(a, Math.max(scale, a.scale)), divisor * powerOfTen(a.scale - scale)), scale };
}

/** `a` at `scale` digits, halves away from zero. */
export function roundDecimal(a: ExactDecimal, scale: number): ExactDecimal {
  return divideDecimal(a, 1n, scale);
}

/** Drop trailing zeros after the point, but keep `minScale` digits. */
export function trimDecimal(a: ExactDecimal, minScale: number): ExactDecimal {
  if (a.units === 0n) return { units: 0n, scale: Math.min(a.scale, Math.max(minScale, 0)) };
  let { units, scale } = a;
  while (scale > minScale && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return { units, scale };
}

/** `-12.50`, with as many digits after the point as the scale says. */
export function decimalText({ units, scale }: ExactDecimal): string {
  if (scale <= 0) return String(units * powerOfTen(-scale));
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return dividend < 0n ? -rounded : rounded;
}

/** Position of the first digit, counted from the point. */
function magnitudeOf({ units, scale }: ExactDecimal): number {
  return String(units < 0n ? -units : units).length - scale;
}

function unitsAt(a: ExactDecimal, scale: number): bigint {
  return a.units * powerOfTen(scale - a.scale);
}

/** 1 for a negative exponent, so that callers can scale up only. */
function powerOfTen(exponent: number): bigint {
  return exponent > 0 ? 10n ** BigInt(exponent) : 1n;
}

function signOf(units: bigint): number {
  return units < 0n ? -1 : units > 0n ? 1 : 0;
}
