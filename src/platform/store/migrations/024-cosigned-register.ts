import { dialects, type Migration } from './migration.ts';

/**
 * What other machines have signed of the register, and an index of the few rows that say what was removed from a log: tombstones and
 * erasures.
 */
export const cosignedRegister: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table audit_register_cosignatures (
    project_id ${integer} not null references projects,
    cosigner ${text} not null,
    note ${text} not null,
    primary key (project_id, cosigner)
  )${keyedTable};

  create index audit_rows_that_remove on audit_rows (chain_id, sequence) where kind = 'tombstone'
  `;
};
