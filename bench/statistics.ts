/** The middle value; between two of them, their mean. */
export function median(values: readonly number[]): number {
  const sorted = sortedSamples(values);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** The smallest value that at least `percent` of the samples do not exceed: always one that was measured. */
export function percentile(values: readonly number[], percent: number): number {
  if (!(percent > 0 && percent <= 100)) throw new RangeError(`A percentile is in (0, 100], not at ${percent}.`);
  const sorted = sortedSamples(values);
  return sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? Number.NaN;
}

/** For people: three decimals below ten, two below a hundred, one above. */
export function rounded(value: number): number {
  const size = Math.abs(value);
  const digits = size < 10 ? 3 : size < 100 ? 2 : 1;
  return Number(value.toFixed(digits));
}

function sortedSamples(values: readonly number[]): readonly number[] {
  if (values.length === 0) throw new RangeError('Nothing was measured.');
  if (values.some(Number.isNaN)) throw new RangeError('A sample is not a number.');
  return values.toSorted((a, b) => a - b);
}
