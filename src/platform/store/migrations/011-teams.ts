import { dialects, type Migration } from './migration.ts';

/** Everybody has a team now: the one of the invitation that they accepted, or the first one of every project. */
export const teams: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  alter table members add column team ${text} not null default 'Operations';
  update members set team = coalesce((
    select invitations.team from invitations join users on lower(users.email) = invitations.email
    where users.id = members.user_id and invitations.project_id = members.project_id
      and invitations.accepted_at is not null and invitations.team is not null
    order by invitations.id desc limit 1
  ), 'Operations');

  insert into renderings (environment_id, team)
  select distinct environments.id, named.team
  from environments
  join environments others on others.project_id = environments.project_id
  join renderings named on named.environment_id = others.id
  where not exists (
    select 1 from renderings known where known.environment_id = environments.id and known.team = named.team
  );

  create table people_changes (
    id ${id},
    project_id ${integer} not null references projects,
    user_id ${integer} not null references users,
    author_id ${integer} not null references users,
    at ${integer} not null,
    changes ${text} not null
  )${table};
  create index people_changes_by_project on people_changes (project_id, id);

  create table ended_sessions (
    environment_id ${integer} not null references environments,
    user_id ${integer} not null references users,
    ended_at ${integer} not null,
    primary key (environment_id, user_id)
  )${keyedTable}`;
};
