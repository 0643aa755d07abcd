import { dialects, type Migration } from './migration.ts';

export const signIns: Migration = (engine) => {
  const { integer, keyedTable, table, text } = dialects[engine];
  return `
  create table sign_ins (
    kind ${text} not null,
    id ${text} not null,
    uid ${text},
    grant_id ${text},
    payload ${text} not null,
    expires_at ${integer},
    consumed_at ${integer},
    primary key (kind, id)
  )${keyedTable};
  create index sign_ins_by_uid on sign_ins (kind, uid);
  create index sign_ins_by_grant on sign_ins (grant_id);

  create table ip_rules (
    environment_id ${integer} primary key references environments,
    rules ${text} not null
  )${table};
  `;
};
