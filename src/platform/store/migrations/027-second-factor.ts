import { dialects, type Migration } from './migration.ts';

/** Roles whose people need a second factor, the factors of people, and what was signed in with one. */
export const secondFactor: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  alter table roles add column needs_second_factor ${integer} not null default 0;
  alter table tokens add column has_second_factor ${integer} not null default 0;

  create table factors (
    id ${id},
    user_id ${integer} not null references users,
    kind ${text} not null check (kind in ('passkey', 'totp')),
    name ${text} not null,
    created_at ${integer} not null,
    last_used_at ${integer},
    host ${text},
    credential_id ${text} unique,
    public_key ${text},
    counter ${integer},
    transports ${text},
    sealed ${text},
    last_step ${integer}
  )${table};
  create index factors_of_user on factors (user_id, id);

  create table recovery_codes (
    user_id ${integer} not null references users,
    code_hash ${text} not null,
    used_at ${integer},
    primary key (user_id, code_hash)
  )${keyedTable}`;
};
