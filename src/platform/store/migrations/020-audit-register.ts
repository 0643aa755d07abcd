import { dialects, type Migration } from './migration.ts';

/**
 * The register of the logs: a chain of its own, whose first row (0) is its genesis. Logs that are there already are registered when
 * a platform starts, or with the next new log.
 */
export const auditRegister: Migration = (engine) => {
  const { integer, keyedTable, table, text } = dialects[engine];
  return [
    `create table audit_register (
      sequence ${integer} not null primary key,
      body ${text} not null,
      hash ${text} not null check (length(hash) = 64)
    )${table}`,
    `create table audit_register_checkpoints (
      size ${integer} not null,
      at ${integer} not null,
      note ${text} not null,
      primary key (size, at)
    )${keyedTable}`,
    ...(engine === 'sqlite' ? finalOnSqlite : finalOnPostgres),
  ];
};

const finalOnSqlite: readonly string[] = ['update', 'delete'].map(
  (change) => `create trigger audit_register_is_final_on_${change} before ${change} on audit_register
    begin select raise(abort, 'the register of audit logs is append-only'); end`,
);

const finalOnPostgres: readonly string[] = [
  `create function audit_register_is_final() returns trigger language plpgsql as $$
   begin raise exception 'the register of audit logs is append-only'; end $$`,
  `create trigger audit_register_is_final before update or delete on audit_register
   for each row execute function audit_register_is_final()`,
];
