import { dialects, type Migration } from './migration.ts';

/**
 * The personal values of a row stand beside what is hashed, so that they can be erased. An erasure is the only change of a row: the
 * values become fewer, and the row is not found by the person any more. Rows that were written before have their values in their body.
 *
 * On PostgreSQL, a process of an older version may still run. Its rows have no version, so that the store refuses them: rows of version
 * 1 behind those of version 2 would break the log.
 */
export const auditDisclosures: Migration = (engine) => [
  `alter table audit_rows add column disclosed ${dialects[engine].text}`,
  `alter table audit_rows add column version ${dialects[engine].integer} not null default 1`,
  ...(engine === 'sqlite' ? onSqlite : onPostgres),
];

const kept = [
  ...['chain_id', 'sequence', 'month', 'kind', 'id', 'part', 'created_at', 'type', 'action', 'initiator', 'team'],
  ...['collection', 'status', 'correlation_id', 'body', 'version', 'hash'],
];

const isSame = (column: string) => `new.${column} is not distinct from old.${column}`;

/** Never null, so that `not` of it is not null either. */
const isErasure = [
  'old.disclosed is not null',
  '(new.disclosed is null or length(new.disclosed) < length(old.disclosed))',
  ...['user_id', 'user_email'].map((column) => `(new.${column} is null or ${isSame(column)})`),
  ...kept.map(isSame),
].join(' and ');

const onSqlite: readonly string[] = [
  'drop trigger audit_rows_are_final',
  `create trigger audit_rows_are_final before update on audit_rows
   when not (${isErasure})
   begin select raise(abort, 'the audit log is append-only'); end`,
];

const onPostgres: readonly string[] = [
  'alter table audit_rows alter column version drop default',
  `create or replace function audit_rows_are_final() returns trigger language plpgsql as $$
   declare first bigint;
   begin
     if tg_op = 'UPDATE' then
       if ${isErasure} then return new; end if;
     end if;
     if tg_op = 'DELETE' then
       execute format('select first_sequence from %I.audit_chains where id = $1', tg_table_schema)
         into first using old.chain_id;
       if old.sequence < first then return old; end if;
     end if;
     raise exception 'the audit log is append-only';
   end $$`,
];
