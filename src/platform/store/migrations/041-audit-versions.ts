import { allows, isErasureWith } from './034-audit-clients.ts';
import { dialects, type Migration } from './migration.ts';

/**
 * Acts are found by the version of the code that did them. The rows that are there already name none. As in `034-audit-clients.ts`, the
 * store on PostgreSQL refuses rows of a process of an older version that name one.
 */
export const auditVersions: Migration = (engine) => [
  `alter table audit_rows add column code_version ${dialects[engine].integer}`,
  ...(engine === 'sqlite' ? onSqlite : onPostgres),
  `create index audit_rows_by_version on audit_rows (chain_id, code_version, sequence) where code_version is not null`,
  ...(engine === 'sqlite' ? statistics : []),
];

const isErasure = isErasureWith(['code_version']);

const onSqlite: readonly string[] = [
  'drop trigger audit_rows_are_final',
  `create trigger audit_rows_are_final before update on audit_rows
   when not (${isErasure})
   begin select raise(abort, 'the audit log is append-only'); end`,
];

const onPostgres: readonly string[] = [
  allows(isErasure),
  `alter table audit_rows add constraint audit_rows_name_their_version check (
     status is null or code_version is not null or strpos(body, '"codeVersion":') = 0
   ) not valid`,
];

/** As in `012-audit.ts`. */
const statistics: readonly string[] = [
  `insert into sqlite_stat1 (tbl, idx, stat) values ('audit_rows', 'audit_rows_by_version', '2000000 200000 20000 1')`,
  'analyze sqlite_schema',
];
