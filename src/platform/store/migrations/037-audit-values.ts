import { dialects, type Migration } from './migration.ts';

/** The values of records before and after writes, sealed. Rows of the audit log commit to them, and they can be erased without a change of those. */
export const auditValues: Migration = (engine) => {
  const { integer, table, text } = dialects[engine];
  return `
  create table audit_values (
    chain_id ${integer} not null references audit_chains,
    sequence ${integer} not null,
    place ${integer} not null,
    act_sequence ${integer} not null,
    record_id ${text} not null,
    sealed ${text} not null,
    primary key (chain_id, sequence, place)
  )${table};
  create index audit_values_by_act on audit_values (chain_id, act_sequence, record_id)`;
};
