import { dialects, type Migration } from './migration.ts';

/** The roles and teams that members, and people who are invited, have beside their first ones; where each comes from, and when it ends. */
export const memberships: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  create table memberships (
    id ${id},
    project_id ${integer} not null,
    user_id ${integer} not null,
    kind ${text} not null check (kind in ('role', 'team')),
    name ${text} not null,
    source ${text} not null check (source in ('given', 'group', 'elevation')),
    source_name ${text},
    environment_id ${integer} references environments,
    ends_at ${integer},
    foreign key (project_id, user_id) references members
  )${table};
  create index memberships_of_member on memberships (project_id, user_id);

  create table invited_memberships (
    invitation_id ${integer} not null references invitations,
    kind ${text} not null check (kind in ('role', 'team')),
    name ${text} not null,
    primary key (invitation_id, kind, name)
  )${keyedTable}`;
};
