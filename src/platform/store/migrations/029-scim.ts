import { dialects, type Migration } from './migration.ts';

/** The tokens with which companies provision people, and what they say of people and groups. */
export const scim: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  create table scim_tokens (
    id ${id},
    project_id ${integer} not null references projects,
    name ${text} not null,
    hint ${text} not null,
    secret_hash ${text} not null unique,
    role ${text} not null,
    team ${text} not null,
    created_by ${integer} not null references users,
    created_at ${integer} not null,
    revoked_at ${integer},
    last_used_at ${integer},
    last_refusal ${text},
    last_refused_at ${integer}
  )${table};
  create index scim_tokens_of_project on scim_tokens (project_id, id);

  create table scim_users (
    project_id ${integer} not null references projects,
    user_id ${integer} not null references users,
    user_name ${text} not null,
    external_id ${text},
    given_name ${text} not null,
    family_name ${text} not null,
    is_own ${integer} not null,
    is_deleted ${integer} not null,
    created_at ${integer} not null,
    changed_at ${integer} not null,
    primary key (project_id, user_id)
  )${keyedTable};

  create table scim_groups (
    id ${id},
    project_id ${integer} not null references projects,
    name ${text} not null,
    external_id ${text},
    created_at ${integer} not null,
    changed_at ${integer} not null,
    unique (project_id, name)
  )${table};

  create table scim_group_members (
    group_id ${integer} not null references scim_groups,
    user_id ${integer} not null references users,
    primary key (group_id, user_id)
  )${keyedTable};
  create index scim_group_members_by_user on scim_group_members (user_id)`;
};
