import { dialects, type Migration } from './migration.ts';

const now = {
  sqlite: `cast(strftime('%s', 'now') as integer) * 1000`,
  postgres: 'cast(extract(epoch from now()) * 1000 as bigint)',
} as const;

/** Until when somebody without a second factor may set one up at a sign-in. Who was there before has a week. */
export const factorSetup: Migration = (engine) => `
  alter table users add column factor_setup_until ${dialects[engine].integer};
  update users set factor_setup_until = ${now[engine]} + ${7 * 24 * 60 * 60_000}`;
