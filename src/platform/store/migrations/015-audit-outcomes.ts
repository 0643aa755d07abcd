import type { Migration } from './migration.ts';

/**
 * Indexes of the acts that did not succeed at once. They are few, and who looks for failures would walk through all others. What
 * SQLite assumes of them stands beside the indexes of the log before.
 */
export const auditOutcomes: Migration = (engine) => [
  "create index audit_rows_uncompleted on audit_rows (chain_id, sequence) where status <> 'completed'",
  "create index audit_rows_uncompleted_by_user on audit_rows (chain_id, user_id, sequence) where status <> 'completed'",
  ...(engine === 'sqlite'
    ? [
        `insert into sqlite_stat1 (tbl, idx, stat) values
          ('audit_rows', 'audit_rows_uncompleted', '100000 10000 1'),
          ('audit_rows', 'audit_rows_uncompleted_by_user', '100000 10000 20 1')`,
        'analyze sqlite_schema',
      ]
    : []),
];
