import { dialects, type Migration } from './migration.ts';

export const deployments: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  alter table versions add column content_hash ${text};
  alter table versions add column content ${text};
  create unique index version_of_content on versions (project_id, content_hash);

  create table deployments (
    environment_id ${integer} not null references environments,
    number ${integer} not null,
    version_number ${integer} not null,
    variables_revision ${integer} not null,
    state ${text} not null check (state in ('queued', 'checking', 'live', 'failed', 'replaced')),
    is_checked ${integer} not null,
    note ${text},
    author_id ${integer} not null references users,
    idempotency_key ${text} not null,
    request_hash ${text} not null,
    created_at ${integer} not null,
    finished_at ${integer},
    primary key (environment_id, number),
    unique (environment_id, idempotency_key)
  )${keyedTable};

  create table deployment_lines (
    environment_id ${integer} not null,
    number ${integer} not null,
    sequence ${integer} not null,
    at ${integer} not null,
    text ${text} not null,
    primary key (environment_id, number, sequence)
  )${keyedTable};

  create table hosts (
    environment_id ${integer} not null references environments,
    id ${text} not null,
    name ${text} not null,
    workers ${integer} not null,
    serving ${integer},
    checked ${integer},
    refused ${integer},
    refused_reason ${text},
    seen_at ${integer} not null,
    primary key (environment_id, id)
  )${keyedTable};

  create table host_lines (
    environment_id ${integer} not null references environments,
    sequence ${integer} not null,
    host ${text} not null,
    at ${integer} not null,
    level ${text} not null,
    text ${text} not null,
    primary key (environment_id, sequence)
  )${keyedTable};

  create table variables (
    environment_id ${integer} not null references environments,
    revision ${integer} not null,
    sealed ${text} not null,
    author_id ${integer} references users,
    created_at ${integer} not null,
    primary key (environment_id, revision)
  )${keyedTable}`;
};
