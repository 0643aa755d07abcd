import { dialects, type Migration } from './migration.ts';

/** Requests to run actions that need an approval, and what people say about them. */
export const approvals: Migration = (engine) => {
  const { id, integer, table, text } = dialects[engine];
  return `
  create table approvals (
    id ${id},
    environment_id ${integer} not null references environments,
    user_id ${integer} not null references users,
    client ${text},
    collection ${text} not null,
    action ${text} not null,
    records ${integer} not null,
    content ${text},
    digest ${text} not null,
    state ${text} not null,
    asked_at ${integer} not null,
    decided_at ${integer},
    decided_by ${integer} references users,
    run_id ${text},
    outcome ${text}
  )${table};
  create index approvals_of_environment on approvals (environment_id, id);
  create index approvals_by_state on approvals (state, asked_at);

  create table approval_comments (
    id ${id},
    approval_id ${integer} not null references approvals,
    user_id ${integer} not null references users,
    body ${text} not null,
    written_at ${integer} not null
  )${table};
  create index approval_comments_of_approval on approval_comments (approval_id, id)`;
};
