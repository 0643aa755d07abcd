import { dialects, type Migration } from './migration.ts';

export const customizations: Migration = (engine) => {
  const { integer, table, text } = dialects[engine];
  return `
  create table customizations (
    environment_id ${integer} primary key references environments,
    document ${text} not null
  )${table};
  `;
};
