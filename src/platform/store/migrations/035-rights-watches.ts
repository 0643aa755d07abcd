import { dialects, type Migration } from './migration.ts';

/** Documents of rights that nobody is refused by: what people do is held against them. One at most in each environment. */
export const rightsWatches: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table rights_watches (
    environment_id ${integer} not null references environments,
    document ${text} not null,
    author_id ${integer} not null references users,
    started_at ${integer} not null,
    revision ${integer} not null,
    schema_hash ${text},
    primary key (environment_id)
  )${keyedTable}`;
};
