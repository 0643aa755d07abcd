import { dialects, type Migration } from './migration.ts';

export const spentApprovals: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table spent_approvals (
    environment_id ${integer} not null references environments,
    digest ${text} not null,
    run_id ${text} not null,
    expires_at ${integer} not null,
    primary key (environment_id, digest)
  )${keyedTable};
  create index spent_approvals_by_end on spent_approvals (expires_at);
  `;
};
