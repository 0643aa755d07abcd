import type { MaybePromise } from '#kernel/async/maybe-promise';
import { cloudError } from '#kernel/errors/cloud-error';
import { preparePatch, readGroup, readUser } from './read-resource.ts';
import type { ScimGroups } from './scim-groups.ts';
import type { ScimQuery } from './scim-query.ts';
import {
  groupResource,
  type Projection,
  project,
  projectionOf,
  type Resource,
  userResource,
} from './scim-resources.ts';
import { noSuchResource, type ScimPlace, type ScimUsers } from './scim-users.ts';

/** What a request says about one resource. */
interface ScimChange {
  /** As the address has it. */
  readonly id: string;
  readonly body: unknown;
  /** `If-Match`. */
  readonly wantedVersion: string | undefined;
}

/** What clients do with users, or with groups. The same for one request and for an operation of many. */
export interface ScimKind {
  readonly name: 'User' | 'Group';
  /** @param isOfSeveralKinds whether other kinds are searched too. */
  search(
    place: ScimPlace,
    query: ScimQuery,
    isOfSeveralKinds: boolean,
  ): Promise<{ readonly total: number; readonly found: readonly Resource[] }>;
  /** Rejects with `REQUEST_NOT_FOUND`, as those below do. @param projection what is shown of it: what is not shown may be missing. */
  get(place: ScimPlace, id: string, projection: Projection): Promise<Resource>;
  create(place: ScimPlace, body: unknown): Promise<Resource>;
  /** Rejects with `PRECONDITION_FAILED` too. */
  replace(place: ScimPlace, change: ScimChange): Promise<Resource>;
  patch(place: ScimPlace, change: ScimChange): Promise<Resource>;
  remove(place: ScimPlace, change: Omit<ScimChange, 'body'>): Promise<void>;
}

/** What users and groups do each in their own way. */
interface Records<Wanted> {
  list: ScimKind['search'];
  find(place: ScimPlace, id: number, projection: Projection): Promise<Resource | undefined>;
  read(body: unknown): Wanted;
  create(place: ScimPlace, wanted: Wanted): Promise<Resource>;
  replace(place: ScimPlace, id: number, want: (before: Resource) => MaybePromise<Wanted>): Promise<Resource>;
  remove(place: ScimPlace, id: number, check: (before: Resource) => void): Promise<void>;
}

/** @param origin what addresses of the platform begin with. */
export function userKind(users: ScimUsers, origin: () => string): ScimKind {
  return kindOf('User', {
    list: async ({ projectId }, query, isOfSeveralKinds) => {
      const { total, found } = await users.list(projectId, { ...query, isOfSeveralKinds });
      return { total, found: found.map((user) => userResource(user, origin())) };
    },
    find: async ({ projectId }, id) => {
      const user = await users.find(projectId, id);
      return user && userResource(user, origin());
    },
    read: readUser,
    create: async (place, wanted) => userResource(await users.create(place, wanted), origin()),
    replace: async (place, id, want) => {
      const user = await users.replace(place, id, (before) => want(userResource(before, origin())));
      return userResource(user, origin());
    },
    remove: (place, id, check) => users.remove(place, id, (before) => check(userResource(before, origin()))),
  });
}

export function groupKind(groups: ScimGroups, origin: () => string): ScimKind {
  const hasMembers = ({ attributes, excluded }: Projection) =>
    attributes.length > 0 ? attributes.some((path) => /^members(?:\.|$)/.test(path)) : !excluded.includes('members');
  return kindOf('Group', {
    list: async ({ projectId }, query, isOfSeveralKinds) => {
      const isWhole = hasMembers(query.projection);
      const { total, found } = await groups.list(projectId, { ...query, isOfSeveralKinds }, isWhole);
      return { total, found: found.map((group) => groupResource(group, origin(), isWhole)) };
    },
    find: async ({ projectId }, id, projection) => {
      const isWhole = hasMembers(projection);
      const group = await groups.find(projectId, id, isWhole);
      return group && groupResource(group, origin(), isWhole);
    },
    read: readGroup,
    create: async (place, wanted) => groupResource(await groups.create(place, wanted), origin(), true),
    replace: async (place, id, want) => {
      const group = await groups.replace(place, id, (before) => want(groupResource(before, origin(), true)));
      return groupResource(group, origin(), true);
    },
    remove: (place, id, check) => groups.remove(place, id, (before) => check(groupResource(before, origin(), true))),
  });
}

const withoutMembers = projectionOf([], ['members']);

function kindOf<Wanted>(name: ScimKind['name'], records: Records<Wanted>): ScimKind {
  const noSuch = (id: string) => noSuchResource(name === 'User' ? 'user' : 'group', id);
  const numberOf = (id: string) => {
    if (/^\d{1,15}$/.test(id)) return Number(id);
    throw noSuch(id);
  };
  const get = async (place: ScimPlace, id: string, projection: Projection) => {
    const resource = await records.find(place, numberOf(id), projection);
    if (resource) return resource;
    throw noSuch(id);
  };
  return {
    name,
    search: async (place, query, isOfSeveralKinds) => {
      const { total, found } = await records.list(place, query, isOfSeveralKinds);
      return { total, found: found.map((resource) => project(resource, query.projection)) };
    },
    get,
    create: async (place, body) => records.create(place, records.read(body)),
    replace: async (place, { id, body, wantedVersion }) => {
      // Who asks for somebody who is not there hears that first, whatever the body is.
      await get(place, id, withoutMembers);
      const wanted = records.read(body);
      return records.replace(place, numberOf(id), (before) => {
        refuseChanged(wantedVersion, before);
        return wanted;
      });
    },
    patch: async (place, { id, body, wantedVersion }) => {
      await get(place, id, withoutMembers);
      const patch = await preparePatch(name, body);
      return records.replace(place, numberOf(id), async (before) => {
        refuseChanged(wantedVersion, before);
        return records.read(await patch(before));
      });
    },
    remove: async (place, { id, wantedVersion }) =>
      records.remove(place, numberOf(id), (before) => refuseChanged(wantedVersion, before)),
  };
}

/** `If-Match` names one version or several, or any. */
function refuseChanged(wanted: string | undefined, { meta }: Resource): void {
  if (wanted === undefined) return;
  const versions = wanted.split(',').map((each) => each.trim());
  if (versions.includes('*') || (meta.version !== undefined && versions.includes(meta.version))) return;
  throw cloudError(
    'PRECONDITION_FAILED',
    'The resource is not what "If-Match" says: somebody changed it.',
    'Read it again.',
  );
}
