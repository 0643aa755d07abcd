import { dialects, type Migration } from './migration.ts';

/** Roles that people take for a time: who asked for which and why, who agreed, and when it ends. */
export const elevations: Migration = (engine) => {
  const { id, integer, table, text } = dialects[engine];
  return `
  create table elevations (
    id ${id},
    project_id ${integer} not null references projects,
    environment_id ${integer} not null references environments,
    user_id ${integer} not null references users,
    role ${text} not null,
    reason ${text} not null,
    minutes ${integer} not null,
    asked_at ${integer} not null,
    decided_at ${integer},
    decided_by ${integer} references users,
    ends_at ${integer},
    ended_at ${integer}
  )${table};
  create index elevations_of_environment on elevations (environment_id, id);
  create index elevations_that_last on elevations (ends_at) where ended_at is null`;
};
