import { dialects, type Migration } from './migration.ts';

export const signInKeys: Migration = (engine) => {
  const { integer, table, text } = dialects[engine];
  return `
  create table sign_in_keys (
    id ${integer} primary key check (id = 1),
    signing_key ${text} not null,
    cookie_key ${text} not null,
    created_at ${integer} not null
  )${table};
  `;
};
