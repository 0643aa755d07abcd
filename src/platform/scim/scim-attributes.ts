import { expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../store/tables.ts';
import { type Attributes, exactText, flag, several, text, time } from './filter-query.ts';
import { groupSchemaId, userSchemaId } from './scim-resources.ts';

const { exists, selectFrom } = expressionBuilder<Tables>();

const givenName = sql`coalesce(scim_users.given_name, users.first_name)`;
const familyName = sql`coalesce(scim_users.family_name, users.last_name)`;
const formatted = sql`trim(${givenName} || ' ' || ${familyName})`;
const userName = sql`coalesce(scim_users.user_name, users.email)`;

/** What people can be found by. They have one e-mail address each. */
export const userAttributes: Attributes = {
  id: exactText(sql`cast(users.id as text)`),
  schemas: exactText(sql`'${sql.raw(userSchemaId)}'`),
  username: text(userName),
  externalid: exactText(sql`scim_users.external_id`),
  displayname: text(sql`case when ${formatted} = '' then ${userName} else ${formatted} end`),
  name: text(formatted),
  'name.formatted': text(formatted),
  'name.givenname': text(givenName),
  'name.familyname': text(familyName),
  active: flag(sql`members.deactivated_at is null`),
  emails: several((condition) => condition, {
    value: text(sql`users.email`),
    type: text(sql`'work'`),
    primary: flag(sql`1 = 1`),
  }),
  groups: several(
    (condition) =>
      exists(
        selectFrom('scimGroupMembers')
          .innerJoin('scimGroups', 'scimGroups.id', 'scimGroupMembers.groupId')
          .select('scimGroups.id')
          .where(sql<SqlBool>`scim_group_members.user_id = users.id and scim_groups.project_id = members.project_id`)
          .where(condition),
      ),
    { value: exactText(sql`cast(scim_groups.id as text)`), display: text(sql`scim_groups.name`) },
  ),
  'meta.resourcetype': exactText(sql`'User'`),
  'meta.created': time(sql`coalesce(scim_users.created_at, users.created_at)`),
  'meta.lastmodified': time(sql`coalesce(scim_users.changed_at, users.created_at)`),
};

/** What groups can be found by. */
export const groupAttributes: Attributes = {
  id: exactText(sql`cast(scim_groups.id as text)`),
  schemas: exactText(sql`'${sql.raw(groupSchemaId)}'`),
  displayname: text(sql`scim_groups.name`),
  externalid: exactText(sql`scim_groups.external_id`),
  members: several(
    (condition) =>
      exists(
        selectFrom('scimGroupMembers')
          .innerJoin('users', 'users.id', 'scimGroupMembers.userId')
          .select('users.id')
          .where(sql<SqlBool>`scim_group_members.group_id = scim_groups.id`)
          .where(condition),
      ),
    {
      value: exactText(sql`cast(users.id as text)`),
      display: text(sql`users.email`),
      type: text(sql`'User'`),
    },
  ),
  'meta.resourcetype': exactText(sql`'Group'`),
  'meta.created': time(sql`scim_groups.created_at`),
  'meta.lastmodified': time(sql`scim_groups.changed_at`),
};
