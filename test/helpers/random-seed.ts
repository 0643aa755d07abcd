/** The seed of the random tests. `npm test` names one, so that it draws the same each time; without a name each run draws new examples. */
export const randomSeed = Number(process.env['RANDOM_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
