import { dialects, type Migration } from './migration.ts';

/** The teams that somebody created by their names: they stay although nobody belongs to them and no rights name them. */
export const keptTeams: Migration = (engine) => {
  const { integer, keyedTable, text } = dialects[engine];
  return `
  create table kept_teams (
    project_id ${integer} not null references projects,
    name ${text} not null,
    primary key (project_id, name)
  )${keyedTable}`;
};
