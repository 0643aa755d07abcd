import { dialects, type Migration } from './migration.ts';

/** Notes on records, and what people wrote in them. People are named as they were then. */
export const notes: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  create table notes (
    id ${id},
    environment_id ${integer} not null references environments,
    title ${text} not null,
    collection ${text} not null,
    record_id ${text} not null,
    team ${text} not null,
    user_id ${integer} not null references users,
    user_email ${text} not null,
    comparable_email ${text} not null,
    user_name ${text} not null,
    created_at ${integer} not null,
    updated_at ${integer} not null,
    archived_at ${integer},
    revision ${integer} not null,
    size_bytes ${integer} not null
  )${table};
  create index notes_of_environment on notes (environment_id, id);
  create index notes_of_record on notes (environment_id, record_id, id);
  create index notes_of_collection on notes (environment_id, collection, id);

  create table note_messages (
    note_id ${integer} not null references notes,
    number ${integer} not null,
    content ${text} not null,
    user_id ${integer} not null references users,
    user_email ${text} not null,
    user_name ${text} not null,
    created_at ${integer} not null,
    primary key (note_id, number)
  )${keyedTable}`;
};
