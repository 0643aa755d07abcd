import { createHash } from 'node:crypto';
import { scimPath } from '#contracts/scim-tokens';
import { canonicalJson } from '#kernel/json/canonical-json';

/** A member of the project, as SCIM knows them. Times are milliseconds since the epoch. */
export interface ScimUser {
  readonly id: number;
  readonly userName: string;
  readonly email: string;
  readonly externalId: string | null;
  readonly givenName: string;
  readonly familyName: string;
  readonly isActive: boolean;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly groups: readonly { readonly id: number; readonly name: string }[];
}

/** What a client wants somebody to be. */
export type WantedUser = Pick<ScimUser, 'userName' | 'email' | 'externalId' | 'givenName' | 'familyName' | 'isActive'>;

export interface ScimGroup {
  readonly id: number;
  readonly name: string;
  readonly externalId: string | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly members: readonly { readonly id: number; readonly name: string }[];
}

export interface WantedGroup extends Pick<ScimGroup, 'name' | 'externalId'> {
  readonly memberIds: readonly number[];
}

export const userSchemaId = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchemaId = 'urn:ietf:params:scim:schemas:core:2.0:Group';

/** A resource on the wire, with the version that its ETag is. */
export interface Resource {
  readonly id: string;
  readonly meta: Readonly<Record<'version' | 'location' | 'created' | 'lastModified' | 'resourceType', string>>;
  readonly [attribute: string]: unknown;
}

/** @param origin of the platform. */
export function userResource(user: ScimUser, origin: string): Resource {
  const { id, userName, email, externalId, givenName, familyName, isActive, groups } = user;
  const formatted = `${givenName} ${familyName}`.trim();
  return withMeta(user, 'User', origin, {
    schemas: [userSchemaId],
    id: String(id),
    ...(externalId === null ? {} : { externalId }),
    userName,
    name: { formatted, givenName, familyName },
    displayName: formatted === '' ? userName : formatted,
    emails: [{ value: email, type: 'work', primary: true }],
    active: isActive,
    groups: groups.map((group) => ({
      value: String(group.id),
      display: group.name,
      $ref: `${origin}${scimPath}/Groups/${group.id}`,
    })),
  });
}

export function groupResource(group: ScimGroup, origin: string): Resource {
  const { id, name, externalId, members } = group;
  return withMeta(group, 'Group', origin, {
    schemas: [groupSchemaId],
    id: String(id),
    ...(externalId === null ? {} : { externalId }),
    displayName: name,
    members: members.map((member) => ({
      value: String(member.id),
      display: member.name,
      type: 'User',
      $ref: `${origin}${scimPath}/Users/${member.id}`,
    })),
  });
}

interface Dated {
  readonly id: number;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** The version says everything that the resource says, so that it changes with its groups too. */
function withMeta(
  { id, createdAt, changedAt }: Dated,
  resourceType: 'User' | 'Group',
  origin: string,
  attributes: Readonly<Record<string, unknown>>,
): Resource {
  const digest = createHash('sha256').update(canonicalJson(attributes)).digest('base64url').slice(0, 22);
  return {
    ...attributes,
    id: String(id),
    meta: {
      resourceType,
      created: new Date(createdAt).toISOString(),
      lastModified: new Date(changedAt).toISOString(),
      location: `${origin}${scimPath}/${resourceType}s/${id}`,
      version: `W/"${digest}"`,
    },
  };
}

/**
 * The attributes that a client asked for: `attributes` names those that come, `excludedAttributes` those that do not. `id`, `schemas` and
 * `meta` always come.
 */
export function project(resource: Resource, { attributes, excluded }: Projection): Resource {
  const always = new Set(['schemas', 'id', 'meta']);
  const isShown = (name: string) =>
    always.has(name) ||
    (attributes.length > 0 ? attributes.includes(name.toLowerCase()) : !excluded.includes(name.toLowerCase()));
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name))) as Resource;
}

/** Names of attributes in lower case, without those below them. */
export interface Projection {
  readonly attributes: readonly string[];
  readonly excluded: readonly string[];
}

export function projectionOf(attributes: string | undefined, excluded: string | undefined): Projection {
  const names = (text = '') =>
    text
      .split(',')
      .map((name) => rootOf(name.trim()))
      .filter((name) => name !== '');
  return { attributes: names(attributes), excluded: names(excluded) };
}

/** The attribute that a path begins with, in lower case and without the address of the schema. */
export function rootOf(path: string): string {
  const plain = withoutSchema(path);
  return (/^[^.[\s]*/.exec(plain)?.[0] ?? '').toLowerCase();
}

/** A path may name the schema of its attribute. One of another schema stays as it is. */
export function withoutSchema(path: string): string {
  return path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i, '');
}
