import type { Migration } from './migration.ts';

/**
 * On PostgreSQL a month goes with its partition once no row of it is part of a log any more, as tombstones say. To delete eight million
 * rows one by one takes hours, and leaves as much for the vacuum.
 */
export const buriedMonths: Migration = (engine) =>
  engine === 'postgres'
    ? [
        `create or replace function make_audit_partition() returns trigger language plpgsql as $$
     declare place text; is_used boolean;
     begin
       if tg_op = 'INSERT' then
         execute format('create table if not exists %I.%I partition of %I.audit_rows for values in (%s)',
           tg_table_schema, 'audit_rows_' || new.month, tg_table_schema, new.month);
         return new;
       end if;
       place := format('%I.%I', tg_table_schema, 'audit_rows_' || old.month);
       if to_regclass(place) is null then return old; end if;
       execute format('select exists (select 1 from %I.audit_chains chain where exists
         (select 1 from %s kept where kept.chain_id = chain.id and kept.sequence >= chain.first_sequence))',
         tg_table_schema, place) into is_used;
       if is_used then raise exception 'the audit log has rows of this month'; end if;
       execute 'drop table ' || place;
       return old;
     end $$`,
      ]
    : [];
