import { dialects, type Migration } from './migration.ts';

/**
 * Segments of the logs: the signed root of each month, and the nodes of its tree at every eighth height, so that a row is proved without
 * reading the others. Those of months that are there already are made when a platform starts.
 */
export const auditSegments: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table audit_segments (
    chain_id ${integer} not null references audit_chains,
    month ${integer} not null,
    note ${text} not null,
    primary key (chain_id, month)
  )${keyedTable};

  create table audit_nodes (
    chain_id ${integer} not null references audit_chains,
    month ${integer} not null,
    level ${integer} not null,
    position ${integer} not null,
    hash ${text} not null check (length(hash) = 64),
    primary key (chain_id, month, level, position)
  )${keyedTable};

  create table audit_cosignatures (
    chain_id ${integer} not null references audit_chains,
    month ${integer} not null,
    cosigner ${text} not null,
    note ${text} not null,
    primary key (chain_id, month, cosigner)
  )${keyedTable}
  `;
};
