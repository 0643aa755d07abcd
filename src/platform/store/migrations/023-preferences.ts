import { dialects, type Migration } from './migration.ts';

/** How people like the console, and the views that they share with their team. */
export const preferences: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  create table preferences (
    user_id ${integer} not null references users,
    project_id ${integer} not null references projects,
    revision ${integer} not null,
    document ${text} not null,
    primary key (user_id, project_id)
  )${keyedTable};

  create table team_views (
    id ${id},
    project_id ${integer} not null references projects,
    team ${text} not null,
    owner_id ${integer} not null references users,
    revision ${integer} not null,
    name ${text} not null,
    collection ${text} not null,
    document ${text} not null,
    changed_at ${integer} not null
  )${table};
  create index team_views_by_team on team_views (project_id, team, id)`;
};
