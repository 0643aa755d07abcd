/** What few examples show needs as many as this: a guard that counts them would fail by chance. */
const fewest = 8;

/**
 * How many examples a long random test draws: a quarter of `whole`, so that all tests together stay short. `npm run test:random` sets
 * `RANDOM_RUNS=whole` for all of them.
 */
export function randomRuns(whole: number): number {
  return process.env['RANDOM_RUNS'] === 'whole' ? whole : Math.max(Math.ceil(whole / 4), Math.min(whole, fewest));
}
