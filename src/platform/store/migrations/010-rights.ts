import { dialects, type Migration } from './migration.ts';

export const rights: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table rights (
    environment_id ${integer} not null references environments,
    revision ${integer} not null,
    document ${text} not null,
    author_id ${integer} not null references users,
    created_at ${integer} not null,
    primary key (environment_id, revision)
  )${keyedTable};

  create table event_counters (
    environment_id ${integer} not null references environments,
    newest ${integer} not null,
    primary key (environment_id)
  )${keyedTable};

  create table events (
    environment_id ${integer} not null references environments,
    sequence ${integer} not null,
    event ${text} not null,
    primary key (environment_id, sequence)
  )${keyedTable};

  create table agents (
    environment_id ${integer} not null references environments,
    id ${text} not null,
    connection ${text} not null,
    process ${text} not null,
    connected_at ${integer} not null,
    acknowledged ${integer},
    seen_at ${integer} not null,
    primary key (environment_id, id)
  )${keyedTable}`;
};
