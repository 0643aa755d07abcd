import { dialects, type Migration } from './migration.ts';

/** Sessions of MCP clients that have read what outsiders can write, and what their people are asked. */
export const mcpMarks: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  create table mcp_marks (
    id ${id},
    environment_id ${integer} not null references environments,
    person_id ${integer} not null,
    client ${text} not null,
    marked_at ${integer} not null,
    reads ${text} not null,
    read_count ${integer} not null,
    records ${integer} not null,
    unique (environment_id, person_id, client)
  )${table};

  create table mcp_asks (
    id ${text} primary key,
    mark_id ${integer} not null references mcp_marks,
    digest ${text} not null,
    tool ${text} not null,
    preview ${text} not null,
    expires_at ${integer} not null,
    answer ${text},
    run_id ${text},
    unique (mark_id, digest)
  )${keyedTable};
  create index mcp_asks_by_end on mcp_asks (expires_at);
  `;
};
