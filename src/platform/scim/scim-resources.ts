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
  readonly meta: Readonly<Record<'location' | 'created' | 'lastModified' | 'resourceType', string>> & {
    /** Absent where a part of the resource was not read. */
    readonly version?: string;
  };
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

/** @param hasMembers whether the members were read. */
export function groupResource(group: ScimGroup, origin: string, hasMembers: boolean): Resource {
  const { id, name, externalId, members } = group;
  const resource = withMeta(group, 'Group', origin, {
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
  if (hasMembers) return resource;
  const { version: _ofAPart, ...meta } = resource.meta;
  return { ...resource, meta };
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

/** Paths of attributes in lower case, without the address of their schema. */
export interface Projection {
  /** What comes; everything where it is empty. */
  readonly attributes: readonly string[];
  /** What does not come. */
  readonly excluded: readonly string[];
}

export function projectionOf(attributes: readonly string[] = [], excluded: readonly string[] = []): Projection {
  const paths = (names: readonly string[]) =>
    names.map((name) => withoutSchema(name.trim()).toLowerCase()).filter((name) => name !== '');
  return { attributes: paths(attributes), excluded: paths(excluded) };
}

const always = new Set(['schemas', 'id']);

/** The attributes that a client asked for, also parts of them: `name.givenName`. `id` and `schemas` always come, and `meta` unless it is excluded. */
export function project(resource: Resource, { attributes, excluded }: Projection): Resource {
  const isShown = (path: string) =>
    attributes.length > 0
      ? attributes.some((each) => each === path || path.startsWith(`${each}.`))
      : !excluded.includes(path);
  const entries = Object.entries(resource).flatMap(([name, value]): readonly [string, unknown][] => {
    const root = name.toLowerCase();
    if (always.has(root) || (root === 'meta' && !excluded.includes('meta'))) return [[name, value]];
    if (!isShown(root) && !attributes.some((each) => each.startsWith(`${root}.`))) return [];
    return [[name, withParts(value, (part) => isShown(`${root}.${part.toLowerCase()}`))]];
  });
  return Object.fromEntries(entries) as Resource;
}

function withParts(value: unknown, isShown: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withParts(each, isShown));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => isShown(part)));
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
