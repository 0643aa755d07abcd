import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import type { FieldRule } from '#runtime/permissions/field-rules';
import type { PermissionSource } from '#runtime/permissions/permission-documents';
import { identity } from './shop-agent.ts';

type Collections = Exclude<EnvironmentPermissions, true>['collections'];
type ActionRights = Collections[string]['actions'][string];
type CollectionRights = Partial<Collections[string]['collection']>;

interface RoleOptions {
  /** By collection; a right that is not named is denied. */
  readonly rights: Readonly<Record<string, CollectionRights>>;
  /** Rights on actions, by collection and name. */
  readonly actions?: Readonly<Record<string, Readonly<Record<string, Partial<ActionRights>>>>>;
  /** Restrictions, by collection. */
  readonly scopes?: Readonly<Record<string, unknown>>;
  /** Segments that are queries of a database, by collection. */
  readonly liveSegments?: Readonly<Record<string, readonly { connectionName: string; query: string }[]>>;
  readonly stats?: RenderingPermissions['stats'];
  /** Restrictions on fields, by collection and field. */
  readonly fields?: Readonly<Record<string, Readonly<Record<string, FieldRule>>>>;
  readonly permissionLevel?: PlatformUser['permissionLevel'];
}

/** Programs may do what their people may. */
export const unrestrictedPrograms: PermissionSource['clientPermissions'] = async () => ({ clients: null, grants: [] });

const none = {
  browseEnabled: false,
  readEnabled: false,
  editEnabled: false,
  addEnabled: false,
  deleteEnabled: false,
  exportEnabled: false,
};

const noAction = {
  triggerEnabled: false,
  triggerConditions: [],
  approvalRequired: false,
  approvalRequiredConditions: [],
  userApprovalEnabled: false,
  userApprovalConditions: [],
  selfApprovalEnabled: false,
};

/** A production platform in which the caller's role has the given rights and no other. */
export function platformOfRole({
  rights,
  actions = {},
  scopes = {},
  liveSegments = {},
  stats = [],
  fields = {},
  permissionLevel = 'user',
}: RoleOptions): PermissionSource {
  const collections: Collections = Object.fromEntries(
    Object.entries(rights).map(([name, own]) => [
      name,
      {
        collection: { ...none, ...own },
        actions: withoutConditions(actions[name]),
        fields: Object.fromEntries(
          Object.entries(fields[name] ?? {}).map(([field, rule]) => [field, [{ ...rule, roles: [1] }]]),
        ),
      },
    ]),
  );
  const shown = Object.keys(rights).map((name) => [
    name,
    { scope: scopes[name] ?? null, segments: [], liveQuerySegments: [...(liveSegments[name] ?? [])] },
  ]);
  return {
    environmentPermissions: async () => ({ collections }),
    clientPermissions: unrestrictedPrograms,
    users: async () => [{ ...identity, fullName: 'Ada Lovelace', roleId: 1, permissionLevel }],
    renderingPermissions: async () => ({
      team: { id: 1, name: 'Operations' },
      collections: Object.fromEntries(shown),
      stats,
    }),
  };
}

function withoutConditions(
  actions: Readonly<Record<string, Partial<ActionRights>>> = {},
): Readonly<Record<string, ActionRights>> {
  return Object.fromEntries(Object.entries(actions).map(([name, own]) => [name, { ...noAction, ...own }]));
}
