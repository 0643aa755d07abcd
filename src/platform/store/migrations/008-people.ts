import { dialects, type Migration } from './migration.ts';

export const people: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  alter table members add column deactivated_at ${integer};

  create table passwords (
    user_id ${integer} primary key references users,
    hash ${text} not null,
    changed_at ${integer} not null
  )${table};

  create table password_resets (
    secret_hash ${text} primary key,
    user_id ${integer} not null references users,
    made_by ${integer} not null references users,
    expires_at ${integer} not null,
    used_at ${integer}
  )${keyedTable};
  create index password_resets_of_user on password_resets (user_id);

  create table sign_in_tries (
    subject ${text} primary key,
    failures ${integer} not null,
    locked_until ${integer} not null,
    failed_at ${integer} not null
  )${keyedTable};
  create index sign_in_tries_by_time on sign_in_tries (failed_at);

  create table invitations (
    id ${id},
    project_id ${integer} not null references projects,
    email ${text} not null,
    permission_level ${text} not null check (permission_level in ('admin', 'developer', 'editor', 'user')),
    role_id ${integer} not null references roles,
    team ${text},
    secret_hash ${text} not null unique,
    invited_by ${integer} not null references users,
    created_at ${integer} not null,
    expires_at ${integer} not null,
    accepted_at ${integer},
    revoked_at ${integer}
  )${table};
  create index invitations_by_email on invitations (email, project_id);

  alter table tokens add column address ${text};

  alter table sign_ins add column account_id ${integer};
  alter table sign_ins add column client_id ${text};
  alter table sign_ins add column user_code ${text};
  alter table sign_ins add column address ${text};
  alter table sign_ins add column created_at ${integer};
  create index sign_ins_by_account on sign_ins (account_id);
  create index sign_ins_by_user_code on sign_ins (user_code);

  drop table sign_in_keys;
  create table sign_in_keys (
    id ${text} primary key,
    sealed ${text} not null,
    created_at ${integer} not null
  )${keyedTable};

  alter table environments add column agent_addresses ${text};
  `;
};
