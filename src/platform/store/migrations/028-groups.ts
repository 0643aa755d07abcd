import { dialects, type Migration } from './migration.ts';

/** What the groups of the company give to members, and the groups that its OpenID provider has named of a person. */
export const groups: Migration = (engine) => {
  const { id, integer, keyedTable, table, text } = dialects[engine];
  return `
  create table group_mappings (
    id ${id},
    project_id ${integer} not null references projects,
    group_name ${text} not null,
    makes_administrator ${integer} not null,
    unique (project_id, group_name)
  )${table};

  create table group_grants (
    mapping_id ${integer} not null references group_mappings,
    position ${integer} not null,
    kind ${text} not null check (kind in ('role', 'team')),
    name ${text} not null,
    primary key (mapping_id, position)
  )${keyedTable};

  create table company_groups (
    user_id ${integer} not null references users,
    name ${text} not null,
    primary key (user_id, name)
  )${keyedTable};

  alter table members add column default_role ${text};
  alter table members add column default_team ${text};
  alter table members add column level_without_group ${text}`;
};
