import type { ClientPermissions } from '#contracts/client-permissions';
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
  personIn,
  renderingPermissionsOf,
} from '../rights/derive-permissions.ts';
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
      const members = await identity.listMembers(environment.projectId);
      const known = await rights.findDocument(environment.id);
      const roleIds = await rights.roleIds(environment.projectId);
      return members.map((member) => {
        const { role, tags } = known ? personIn(known, member.email) : { role: undefined, tags: {} };
        const isBare = !known && environment.type === 'production';
        const roleId = isBare && member.permissionLevel === 'admin' ? administrators : roleIn(member, role, roleIds);
        return platformUserOf(member, roleId, tags);
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

function roleIn(member: MemberRecord, role: string | undefined, roleIds: ReadonlyMap<string, number>): number {
  return (role === undefined ? undefined : roleIds.get(role)) ?? member.roleId;
}

function platformUserOf(
  { id, firstName, lastName, email, permissionLevel }: MemberRecord,
  roleId: number,
  tags: Readonly<Record<string, string>>,
): PlatformUser {
  const fullName = fullNameOf({ firstName, lastName });
  return { id, firstName, lastName, fullName, email, permissionLevel, roleId, tags: { ...tags } };
}
