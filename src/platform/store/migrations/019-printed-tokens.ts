import { dialects, type Migration } from './migration.ts';

/** Tokens that somebody printed from their sign-in: what they are for, and whether they only read. */
export const printedTokens: Migration = (engine) => {
  const { integer, text } = dialects[engine];
  return `
  alter table tokens add column printed_from ${integer};
  alter table tokens add column audience ${text} not null default 'platform';
  alter table tokens add column is_read_only ${integer} not null default 0;
  create index tokens_by_sign_in on tokens (printed_from)`;
};
