import { dialects, type Migration } from './migration.ts';

/** What people and administrators have set for one grant to an MCP client. */
export const clientRights: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table mcp_grant_rights (
    environment_id ${integer} not null references environments,
    grant_id ${text} not null,
    counts_as ${text},
    rights ${text},
    primary key (environment_id, grant_id)
  )${keyedTable}`;
};
