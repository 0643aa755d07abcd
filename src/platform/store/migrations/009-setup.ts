import { dialects, type Migration } from './migration.ts';

export const setup: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table setup_links (
    secret_hash ${text} primary key,
    expires_at ${integer} not null
  )${keyedTable}`;
};
