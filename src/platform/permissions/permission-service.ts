import type { ClientPermissions } from '#contracts/client-permissions';
import type { Held } from '#contracts/memberships';
import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import { fullNameOf } from '#kernel/text/full-name';
import type {
  EnvironmentRecord,
  IdentityRepository,
  MemberRecord,
  RenderingRecord,
} from '../identity/identity-repository.ts';
import { listGrantRights } from '../mcp-grants/grant-rights.ts';
import {
  clientRightsIn,
  environmentPermissionsOf,
  expandedRights,
  renderingPermissionsOf,
} from '../rights/derive-permissions.ts';
import { type Place, placeOf } from '../rights/place-of-person.ts';
import type { RightsRepository } from '../rights/rights-repository.ts';
import type { SchemaRepository } from '../schemas/schemas.ts';
import type { Store } from '../store/store.ts';

/** Says what the people of an environment may do. */
export type EnvironmentPermissionsOf = (environment: EnvironmentRecord) => Promise<EnvironmentPermissions>;

/** What agents decide by. */
export interface PermissionService {
  readonly environment: EnvironmentPermissionsOf;
  users(environment: EnvironmentRecord): Promise<PlatformUser[]>;
  rendering(environment: EnvironmentRecord, rendering: RenderingRecord): Promise<RenderingPermissions>;
  clients(environment: EnvironmentRecord): Promise<ClientPermissions>;
}

export interface PermissionParts {
  readonly identity: IdentityRepository;
  readonly schemas: SchemaRepository;
  readonly rights: RightsRepository;
  readonly store: Store;
}

/** Role of administrators in a production environment without rights. No role of a project has this number. */
const administrators = 0;

/**
 * What the rights of an environment say. Without any, development allows everything to everybody, and production everything to
 * administrators only.
 */
export function createPermissionService({ identity, schemas, rights, store }: PermissionParts): PermissionService {
  const collectionsOf = async ({ id }: EnvironmentRecord) => (await schemas.findDocument(id))?.collections ?? [];
  return {
    environment: async (environment) => {
      const known = await rights.findDocument(environment.id);
      if (!known && environment.type === 'development') return true;
      const collections = await collectionsOf(environment);
      if (known) return environmentPermissionsOf(known, collections, await rights.roleIds(environment.projectId));
      const everything = { browse: true, read: true, edit: true, add: true, delete: true, export: true };
      const own = { ...everything, actions: { '*': { trigger: true, approve: true, selfApprove: true } } };
      const document = { roles: { administrators: { collections: { '*': own } } } };
      return environmentPermissionsOf(document, collections, new Map([['administrators', administrators]]));
    },
    users: async (environment) => {
      const [members, known, roleIds, memberships, renderings] = await Promise.all([
        identity.listMembers(environment.projectId),
        rights.findDocument(environment.id),
        rights.roleIds(environment.projectId),
        rights.listMemberships(environment.projectId),
        identity.listRenderings(environment.id),
      ]);
      const numbers = { roleIds, renderingIds: new Map(renderings.map(({ id, team }) => [team, id])) };
      const further = Map.groupBy(memberships, ({ userId }) => userId);
      const isBare = !known && environment.type === 'production';
      return members.map((member) => {
        const place = placeOf(environment.id, member, further.get(member.id) ?? [], known);
        const user = platformUserOf(member, place, numbers);
        // Without rights, the level is all that counts.
        return isBare && member.permissionLevel === 'admin'
          ? { ...user, roleId: administrators, heldRoles: undefined }
          : user;
      });
    },
    clients: async (environment) => {
      const known = await rights.findDocument(environment.id);
      const grants = await listGrantRights(store.db, environment.id);
      const collections = known?.clients || grants.length > 0 ? await collectionsOf(environment) : [];
      return {
        clients: known?.clients ? clientRightsIn(known.clients, collections) : null,
        grants: grants.map((grant) => ({
          ...grant,
          rights: grant.rights && expandedRights(grant.rights, collections),
        })),
      };
    },
    rendering: async (environment, rendering) => {
      const known = await rights.findDocument(environment.id);
      return renderingPermissionsOf(known ?? { roles: {} }, await collectionsOf(environment), rendering);
    },
  };
}

interface Numbers {
  readonly roleIds: ReadonlyMap<string, number>;
  readonly renderingIds: ReadonlyMap<string, number>;
}

/** Agents know roles and teams by number. For somebody with one role and one team, that number is all they need. */
function platformUserOf(
  { id, firstName, lastName, email, permissionLevel, roleId: ownId }: MemberRecord,
  place: Place,
  { roleIds, renderingIds }: Numbers,
): PlatformUser {
  const heldRoles = numbered(place.roles, (name) => roleIds.get(name));
  const heldTeams = numbered(place.teams, (name) => renderingIds.get(name));
  return {
    ...{ id, firstName, lastName, fullName: fullNameOf({ firstName, lastName }), email, permissionLevel },
    roleId: roleIds.get(place.roles[0].name) ?? ownId,
    tags: { ...place.tags },
    ...(isPlain(place.roles) ? {} : { heldRoles }),
    ...(isPlain(place.teams) ? {} : { heldTeams }),
  };
}

function isPlain(held: readonly Held[]): boolean {
  return held.length === 1;
}

function numbered(
  held: readonly Held[],
  idOf: (name: string) => number | undefined,
): (Held & { readonly id: number })[] {
  return held.flatMap((each) => {
    const id = idOf(each.name);
    return id === undefined ? [] : [{ id, ...each }];
  });
}
