import { dialects, type Migration } from './migration.ts';

/**
 * Acts are found by the program that did them, and by the MCP tool. Both are in what is hashed, so the rows that are there already get
 * them from it. After that, rows are final again.
 *
 * On PostgreSQL, a process of an older version may still run. Its rows have no program in these columns, so the store refuses them where
 * they name one: the check of the log would call them changed.
 */
export const auditClients: Migration = (engine) => [
  ...columns.map((column) => `alter table audit_rows add column ${column} ${dialects[engine].text}`),
  ...(engine === 'sqlite' ? onSqlite : onPostgres),
  ...indexes.map(
    ([column, name]) =>
      `create index ${name} on audit_rows (chain_id, ${column}, sequence) where ${column} is not null`,
  ),
  ...(engine === 'sqlite' ? statistics : []),
];

const columns = ['client_id', 'client_name', 'tool'] as const;

const indexes = [
  ['client_id', 'audit_rows_by_client'],
  ['client_name', 'audit_rows_by_client_name'],
  ['tool', 'audit_rows_by_tool'],
] as const;

const kept = [
  ...['chain_id', 'sequence', 'month', 'kind', 'id', 'part', 'created_at', 'type', 'action', 'initiator', 'team'],
  ...['collection', 'status', 'correlation_id', ...columns, 'body', 'version', 'hash'],
];

const isSame = (column: string) => `new.${column} is not distinct from old.${column}`;

/** As in `021-audit-disclosures.ts`, with more columns that stay. */
export function isErasureWith(laterColumns: readonly string[]): string {
  return [
    'old.disclosed is not null',
    '(new.disclosed is null or length(new.disclosed) < length(old.disclosed))',
    ...['user_id', 'user_email'].map((column) => `(new.${column} is null or ${isSame(column)})`),
    ...[...kept, ...laterColumns].map(isSame),
  ].join(' and ');
}

const isErasure = isErasureWith([]);

/** Only acts have an outcome. */
const ofActs = 'status is not null and (body like \'%"client":{%\' or body like \'%"tool":"%\')';

/** A name that says the same as the id is left out, so that one index finds the program. */
const onSqlite: readonly string[] = [
  'drop trigger audit_rows_are_final',
  `update audit_rows set
     client_id = json_extract(body, '$.client.id'),
     client_name = nullif(json_extract(body, '$.client.name'), json_extract(body, '$.client.id')),
     tool = json_extract(body, '$.tool')
   where json_valid(body) and ${ofActs}`,
  `create trigger audit_rows_are_final before update on audit_rows
   when not (${isErasure})
   begin select raise(abort, 'the audit log is append-only'); end`,
];

/** A text of canonical JSON that PostgreSQL can read. The whole row is not read as JSON, as one that somebody broke would stop the step. */
const json = String.raw`"(?:[^"\\]|\\["\\bfnrt]|\\u(?!0000)[0-9a-f]{4})*"`;
const client = `substring(body from '"client":(\\{"id":${json},"name":${json},"object":"client"\\})')::json`;

/** The trigger of PostgreSQL that keeps rows as they are, except for one change. */
export const allows = (change: string) => `
  create or replace function audit_rows_are_final() returns trigger language plpgsql as $$
  declare first bigint;
  begin
    if tg_op = 'UPDATE' then
      if ${change} then return new; end if;
    end if;
    if tg_op = 'DELETE' then
      execute format('select first_sequence from %I.audit_chains where id = $1', tg_table_schema)
        into first using old.chain_id;
      if old.sequence < first then return old; end if;
    end if;
    raise exception 'the audit log is append-only';
  end $$`;

const onPostgres: readonly string[] = [
  allows('old.client_id is null and new.hash = old.hash and new.body = old.body'),
  `update audit_rows set
     client_id = ${client} ->> 'id',
     client_name = nullif(${client} ->> 'name', ${client} ->> 'id'),
     tool = substring(body from '"tool":(${json})')::json #>> '{}'
   where ${ofActs}`,
  allows(isErasure),
  `alter table audit_rows add constraint audit_rows_name_their_client check (
     status is null
     or ((client_id is not null or strpos(body, '"client":{') = 0) and (tool is not null or strpos(body, '"tool":"') = 0))
   ) not valid`,
];

/** As in `012-audit.ts`. */
const statistics: readonly string[] = [
  `insert into sqlite_stat1 (tbl, idx, stat) values
    ('audit_rows', 'audit_rows_by_client', '2000000 200000 2000 1'),
    ('audit_rows', 'audit_rows_by_client_name', '2000000 200000 2000 1'),
    ('audit_rows', 'audit_rows_by_tool', '2000000 200000 20000 1')`,
  'analyze sqlite_schema',
];
