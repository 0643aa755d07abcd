import type { SqlValue } from '#kernel/ports/sqlite-connection';

/** A decimal as a whole number of units of 10^-scale. */
export interface Scaled {
  readonly units: bigint;
  readonly scale: number;
}

/** Digits that an average has beyond those of what it is made of. */
const averageDigits = 6;

/** A stored number; a float is taken with the digits its column declares, or with those it prints. */
export function scaledFrom(value: SqlValue, declaredScale: number): Scaled {
  const text = typeof value === 'number' && declaredScale > 0 ? value.toFixed(declaredScale) : plainDigits(value);
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d*)\.?(\d*)$/.exec(text) ?? [];
  const units = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
  return rescaled({ units, scale: fraction.length }, Math.max(fraction.length, declaredScale));
}

export function addScaled(sum: Scaled | undefined, value: Scaled): Scaled {
  if (!sum) return value;
  const scale = Math.max(sum.scale, value.scale);
  return { units: rescaled(sum, scale).units + rescaled(value, scale).units, scale };
}

/** Rounded half away from zero; zeros beyond the scale of the column are left away. */
export function averageScaled(sum: Scaled, count: number): string {
  const { units, scale } = rescaled(sum, sum.scale + averageDigits);
  const divisor = BigInt(count);
  const half = units < 0n ? -divisor : divisor;
  const text = scaledText({ units: (2n * units + half) / (2n * divisor), scale });
  const [whole = '', fraction = ''] = text.split('.');
  const kept = fraction.slice(0, sum.scale) + fraction.slice(sum.scale).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}

export function scaledText({ units, scale }: Scaled): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const sign = units < 0n ? '-' : '';
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** A text whose order, character by character, is that of the numbers: SQLite has no number that holds their digits. */
export function rankText(decimal: string): string {
  const [, sign, whole = '', fraction = ''] = /^(-?)0*(\d*)\.?(\d*?)0*$/.exec(decimal) ?? [];
  const digits = `${String(whole.length).padStart(5, '0')}${whole}${fraction}`;
  // Of two negative numbers the one with the smaller digits is the greater, and so is the one with fewer of them.
  return sign === '-' ? `0${digits.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))}:` : `1${digits}`;
}

function rescaled({ units, scale }: Scaled, wanted: number): Scaled {
  return { units: units * 10n ** BigInt(wanted - scale), scale: wanted };
}

/** Without an exponent. */
function plainDigits(value: SqlValue): string {
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value)) return BigInt(value).toString();
  const text = String(value);
  return text.includes('e') ? value.toFixed(20).replace(/0+$/, '') : text;
}
