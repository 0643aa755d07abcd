import { isErasureWith } from './034-audit-clients.ts';
import type { Migration } from './migration.ts';

/**
 * On PostgreSQL a trigger keeps the rows of the log. It asked for the start of their chain with a statement that PostgreSQL planned again
 * for each row: 120 to 170 µs a row of retention. PostgreSQL plans this one once a connection: 30 µs. The function has its own path to
 * the tables, so the path of whoever deletes does not matter.
 */
export const plannedTrigger: Migration = (engine) =>
  engine === 'postgres'
    ? [
        `create or replace function audit_rows_are_final() returns trigger language plpgsql set search_path from current as $$
     declare first bigint;
     begin
       if tg_op = 'UPDATE' then
         if ${isErasureWith(['code_version'])} then return new; end if;
       end if;
       if tg_op = 'DELETE' then
         select first_sequence into first from audit_chains where id = old.chain_id;
         if old.sequence < first then return old; end if;
       end if;
       raise exception 'the audit log is append-only';
     end $$`,
      ]
    : [];
