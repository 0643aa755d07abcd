import { dialects, type Migration } from './migration.ts';

export const first: Migration = (engine) => {
  const { bytes, id, integer, keyedTable, table, text } = dialects[engine];
  return `
  create table projects (
    id ${id},
    name ${text} not null unique,
    created_at ${integer} not null
  )${table};

  create table users (
    id ${id},
    first_name ${text} not null,
    last_name ${text} not null,
    email ${text} not null unique,
    created_at ${integer} not null
  )${table};

  create table roles (
    id ${id},
    project_id ${integer} not null references projects,
    name ${text} not null,
    unique (project_id, name)
  )${table};

  create table members (
    project_id ${integer} not null references projects,
    user_id ${integer} not null references users,
    role_id ${integer} not null references roles,
    permission_level ${text} not null check (permission_level in ('admin', 'developer', 'editor', 'user')),
    primary key (project_id, user_id)
  )${keyedTable};

  create table environments (
    id ${id},
    project_id ${integer} not null references projects,
    name ${text} not null,
    type ${text} not null check (type in ('development', 'production')),
    secret_hash ${text} not null unique,
    api_endpoint ${text},
    created_at ${integer} not null
  )${table};

  create table renderings (
    id ${id},
    environment_id ${integer} not null references environments,
    team ${text} not null,
    unique (environment_id, team)
  )${table};

  create table tokens (
    id ${id},
    token_hash ${text} not null unique,
    user_id ${integer} not null references users,
    environment_id ${integer} not null references environments,
    purpose ${text} not null,
    created_at ${integer} not null,
    expires_at ${integer} not null,
    revoked_at ${integer}
  )${table};
  create index tokens_of_user on tokens (user_id, environment_id);

  create table schemas (
    environment_id ${integer} primary key references environments,
    hash ${text} not null,
    document ${text} not null,
    received_at ${integer} not null
  )${table};

  create table permission_overrides (
    environment_id ${integer} primary key references environments,
    overrides ${text} not null
  )${table};

  create table bundles (
    project_id ${integer} not null references projects,
    digest ${text} not null,
    size_bytes ${integer} not null,
    content ${bytes} not null,
    created_at ${integer} not null,
    primary key (project_id, digest)
  )${table};

  create table versions (
    project_id ${integer} not null references projects,
    number ${integer} not null,
    digest ${text} not null,
    message ${text} not null,
    author_id ${integer} not null references users,
    built_with ${text} not null,
    git_commit ${text},
    idempotency_key ${text} not null,
    request_hash ${text} not null,
    created_at ${integer} not null,
    primary key (project_id, number),
    unique (project_id, idempotency_key),
    foreign key (project_id, digest) references bundles
  )${keyedTable};
  `;
};
