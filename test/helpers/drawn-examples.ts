import fc from 'fast-check';

// The guards of random tests count what was drawn. So `npm test` names a seed: it draws the same examples each time, and fails by a
// change and not by chance. Without a name each run draws new ones.
const seed = process.env['RANDOM_SEED'];
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
