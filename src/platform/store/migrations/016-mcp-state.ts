import { dialects, type Migration } from './migration.ts';

/** What the authorization servers of agents keep: clients, grants, codes and tokens. */
export const mcpState: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table mcp_state (
    environment_id ${integer} not null references environments,
    kind ${text} not null,
    id ${text} not null,
    client_id ${text},
    grant_id ${text},
    person_id ${integer} references users,
    payload ${text} not null,
    created_at ${integer} not null,
    expires_at ${integer} not null,
    used_at ${integer},
    primary key (environment_id, kind, id)
  )${keyedTable};
  create index mcp_state_by_age on mcp_state (environment_id, kind, created_at);
  create index mcp_state_by_client on mcp_state (environment_id, client_id);
  create index mcp_state_by_grant on mcp_state (environment_id, grant_id);
  create index mcp_state_by_person on mcp_state (person_id);
  create index mcp_state_by_end on mcp_state (expires_at);

  create table ended_mcp_grants (
    environment_id ${integer} not null references environments,
    grant_id ${text} not null,
    ended_at ${integer} not null,
    primary key (environment_id, grant_id)
  )${keyedTable};
  `;
};
