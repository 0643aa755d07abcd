import type { Migration } from './migration.ts';

/** The writes of a team: without it, the rows of the team are read to find those few. */
export const writesOfTeams: Migration = (engine) =>
  [
    "create index audit_rows_of_teams_that_write on audit_rows (chain_id, team, sequence) where type = 'write'",
    ...(engine === 'postgres' ? [] : statistics),
  ].join(';\n');

/** As in `012-audit.ts`. */
const statistics: readonly string[] = [
  "insert into sqlite_stat1 (tbl, idx, stat) values ('audit_rows', 'audit_rows_of_teams_that_write', '2000000 200000 60000 1')",
  'analyze sqlite_schema',
];
