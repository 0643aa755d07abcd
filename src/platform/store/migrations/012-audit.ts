import { dialects, type Migration, type StoreEngine } from './migration.ts';

/**
 * The audit log: one chain of rows for each environment, and one for the configuration of each project. On PostgreSQL the rows
 * of each month are a partition; a new row of `audit_months` makes it. The activities that were reported before are left as
 * they are: nothing proves them.
 */
export const audit: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return [
    `create table audit_chains (
      id ${id},
      chain ${text} not null unique,
      kind ${text} not null check (kind in ('activity', 'admin')),
      project_id ${integer} not null references projects,
      environment_id ${integer},
      genesis ${text} not null,
      first_sequence ${integer} not null,
      head_sequence ${integer} not null,
      head_hash ${text} not null,
      head_created_at ${integer} not null,
      head_month ${integer} not null
    )${table}`,
    'create unique index audit_chains_by_environment on audit_chains (environment_id) where environment_id is not null',
    'create unique index audit_chains_by_project on audit_chains (project_id) where environment_id is null',

    `create table audit_months (month ${integer} not null primary key)${table}`,

    `create table audit_rows (
      chain_id ${integer} not null references audit_chains,
      sequence ${integer} not null,
      month ${integer} not null references audit_months,
      kind ${text} not null check (kind in ('act', 'admin', 'further', 'records', 'status', 'tombstone')),
      id ${text} not null,
      part ${integer} not null,
      created_at ${integer} not null,
      type ${text},
      action ${text},
      initiator ${text},
      user_id ${integer},
      user_email ${text},
      team ${text},
      collection ${text},
      status ${text},
      correlation_id ${text},
      body ${text} not null,
      hash ${text} not null check (length(hash) = 64),
      primary key (chain_id, sequence, month)
    )${engine === 'postgres' ? ' partition by list (month)' : table}`,
    'create index audit_rows_by_id on audit_rows (chain_id, id, part)',
    'create index audit_rows_by_time on audit_rows (chain_id, created_at)',
    'create index audit_rows_by_user on audit_rows (chain_id, user_id, sequence)',
    'create index audit_rows_by_email on audit_rows (chain_id, user_email, sequence)',
    'create index audit_rows_by_team on audit_rows (chain_id, team, sequence)',
    'create index audit_rows_by_collection on audit_rows (chain_id, collection, sequence)',
    'create index audit_rows_by_action on audit_rows (chain_id, action, sequence)',
    'create index audit_rows_by_user_and_collection on audit_rows (chain_id, user_id, collection, sequence)',
    'create index audit_rows_by_collection_and_action on audit_rows (chain_id, collection, action, sequence)',
    'create index audit_rows_by_correlation on audit_rows (chain_id, correlation_id, sequence)',
    "create index audit_rows_that_write on audit_rows (chain_id, sequence) where type = 'write'",

    `create table audit_records (
      chain_id ${integer} not null references audit_chains,
      record_id ${text} not null,
      sequence ${integer} not null,
      collection ${text} not null,
      primary key (chain_id, record_id, sequence, collection)
    )${keyedTable}`,
    'create index audit_records_by_act on audit_records (chain_id, sequence)',

    `create table audit_outcomes (
      chain_id ${integer} not null references audit_chains,
      sequence ${integer} not null,
      status ${text} not null check (status in ('completed', 'failed')),
      reported_in ${integer} not null,
      primary key (chain_id, sequence)
    )${keyedTable}`,

    `create table audit_checkpoints (
      chain_id ${integer} not null references audit_chains,
      size ${integer} not null,
      at ${integer} not null,
      note ${text} not null,
      primary key (chain_id, size, at)
    )${keyedTable}`,
    ...finalRows[engine],
    ...(engine === 'sqlite' ? statistics : []),
  ];
};

/**
 * What SQLite assumes of the indexes: without it, it walks the whole chain in place of the rows of one person. SQLite documents
 * this way to control its plans. Numbers of rows: in all, and for each value of the first column, of the first two, and so on.
 */
const statistics: readonly string[] = [
  'analyze audit_rows',
  `insert into sqlite_stat1 (tbl, idx, stat) values
    ('audit_rows', 'sqlite_autoindex_audit_rows_1', '10000000 1000000 1 1'),
    ('audit_rows', 'audit_rows_by_id', '10000000 1000000 1 1'),
    ('audit_rows', 'audit_rows_by_time', '10000000 1000000 1'),
    ('audit_rows', 'audit_rows_by_user', '10000000 1000000 2000 1'),
    ('audit_rows', 'audit_rows_by_email', '10000000 1000000 2000 1'),
    ('audit_rows', 'audit_rows_by_team', '10000000 1000000 300000 1'),
    ('audit_rows', 'audit_rows_by_collection', '10000000 1000000 50000 1'),
    ('audit_rows', 'audit_rows_by_action', '10000000 1000000 50000 1'),
    ('audit_rows', 'audit_rows_by_user_and_collection', '10000000 1000000 2000 200 1'),
    ('audit_rows', 'audit_rows_by_collection_and_action', '10000000 1000000 50000 5000 1'),
    ('audit_rows', 'audit_rows_by_correlation', '10000000 1000000 2 1'),
    ('audit_rows', 'audit_rows_that_write', '2000000 200000 1')`,
  'analyze sqlite_schema',
];

/** Rows are never changed, and go only when a tombstone in the chain says so, which moves its first sequence up. */
const finalRows: Readonly<Record<StoreEngine, readonly string[]>> = {
  sqlite: [
    `create trigger audit_rows_are_final before update on audit_rows
     begin select raise(abort, 'the audit log is append-only'); end`,
    `create trigger audit_rows_stay before delete on audit_rows
     when old.sequence >= (select first_sequence from audit_chains where id = old.chain_id)
     begin select raise(abort, 'the audit log is append-only'); end`,
  ],
  postgres: [
    `create function audit_rows_are_final() returns trigger language plpgsql as $$
     declare first bigint;
     begin
       if tg_op = 'DELETE' then
         execute format('select first_sequence from %I.audit_chains where id = $1', tg_table_schema)
           into first using old.chain_id;
         if old.sequence < first then return old; end if;
       end if;
       raise exception 'the audit log is append-only';
     end $$`,
    `create trigger audit_rows_are_final before update or delete on audit_rows
     for each row execute function audit_rows_are_final()`,
    `create function make_audit_partition() returns trigger language plpgsql as $$
     declare place text; is_used boolean;
     begin
       if tg_op = 'INSERT' then
         execute format('create table if not exists %I.%I partition of %I.audit_rows for values in (%s)',
           tg_table_schema, 'audit_rows_' || new.month, tg_table_schema, new.month);
         return new;
       end if;
       place := format('%I.%I', tg_table_schema, 'audit_rows_' || old.month);
       if to_regclass(place) is null then return old; end if;
       execute 'select exists (select 1 from ' || place || ')' into is_used;
       if is_used then raise exception 'the audit log has rows of this month'; end if;
       execute 'drop table ' || place;
       return old;
     end $$`,
    `create trigger make_audit_partition before insert or delete on audit_months
     for each row execute function make_audit_partition()`,
  ],
};
