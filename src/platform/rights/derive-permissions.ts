import type { ClientRights } from '#contracts/client-rights';
import { fieldRightOf } from '#contracts/field-rights';
import type { IpRules } from '#contracts/ip-rules';
import {
  type ConditionalRight,
  everyOther,
  type PermissionFile,
  type RoleAction,
  type RoleCollection,
  rolesOf,
} from '#contracts/permission-file';
import type { EnvironmentPermissions, FieldPermission, RenderingPermissions, Right } from '#contracts/permissions';
import type { SchemaCollection } from '#contracts/schema-document';

export type KnownCollection = Pick<SchemaCollection, 'name'> & {
  readonly actions: readonly { readonly name: string }[];
  readonly fields?: readonly { readonly field: string }[];
  readonly foreignKeys?: readonly string[] | undefined;
};

interface RoleEntry<Rights> {
  readonly roleId: number;
  readonly rights: Rights | undefined;
}

/** The document of rights as agents ask for it: by collection, each right with the roles that hold it. */
export function environmentPermissionsOf(
  { roles }: PermissionFile,
  collections: readonly KnownCollection[],
  roleIds: ReadonlyMap<string, number>,
): EnvironmentPermissions {
  const holders = Object.entries(roles).flatMap(([name, role]) => {
    const roleId = roleIds.get(name);
    return roleId === undefined ? [] : [{ name, roleId, collections: role.collections }];
  });
  const named = holders.flatMap((role) => Object.keys(role.collections)).filter((name) => name !== everyOther);
  const known = new Map(collections.map((collection) => [collection.name, collection]));
  const names = new Set([...known.keys(), ...named]);
  return {
    collections: Object.fromEntries(
      [...names].map((name) => [
        name,
        collectionPermissions(
          holders.map(({ roleId, collections: own }) => ({ roleId, rights: rightsOn(name, own, known.get(name)) })),
          known.get(name)?.actions.map((action) => action.name) ?? [],
        ),
      ]),
    ),
    roleNames: Object.fromEntries(holders.map(({ name, roleId }) => [roleId, name])),
  };
}

/** The rights of clients, with every collection by its name. */
export function clientRightsIn(
  clients: NonNullable<PermissionFile['clients']>,
  collections: readonly KnownCollection[],
): Record<string, ClientRights> {
  return Object.fromEntries(
    Object.entries(clients).map(([name, rights]) => [name, expandedRights(rights, collections)]),
  );
}

/** The same, with every collection by its name. */
export function expandedRights(rights: ClientRights, collections: readonly KnownCollection[]): ClientRights {
  const { collections: own } = rights;
  if (!own) return rights;
  const known = new Map(collections.map((collection) => [collection.name, collection]));
  const names = new Set([...known.keys(), ...Object.keys(own)]);
  names.delete(everyOther);
  return {
    ...rights,
    collections: Object.fromEntries(
      [...names].flatMap((name) => {
        const given = rightsOn(name, own, known.get(name));
        return given ? [[name, given] as const] : [];
      }),
    ),
  };
}

/** What a role may do with a collection. Of what is said of every other one, only the fields that it has are about it. */
function rightsOn<Rights extends Pick<RoleCollection, 'fields'>>(
  name: string,
  own: Readonly<Record<string, Rights>>,
  collection: KnownCollection | undefined,
): Rights | undefined {
  const rights = entryOf(own, name);
  if (!rights?.fields || Object.hasOwn(own, name) || !collection?.fields) return rights;
  const has = new Set([...collection.fields.map(({ field }) => field), ...(collection.foreignKeys ?? []), everyOther]);
  return { ...rights, fields: Object.fromEntries(Object.entries(rights.fields).filter(([field]) => has.has(field))) };
}

/** What is said of a name; of every other one where the name is not mentioned. */
export function entryOf<Entry>(entries: Readonly<Record<string, Entry>>, name: string): Entry | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : entries[everyOther];
}

function collectionPermissions(roles: readonly RoleEntry<RoleCollection>[], knownActions: readonly string[]) {
  const right = (name: 'browse' | 'read' | 'edit' | 'add' | 'delete' | 'export') =>
    heldBy(roles, (rights) => rights[name] === true);
  const named = roles.flatMap(({ rights }) => Object.keys(rights?.actions ?? {})).filter((name) => name !== everyOther);
  const fields = fieldPermissions(roles);
  const scopes = roles.flatMap(({ roleId, rights }) => (rights?.scope ? [{ roleId, filter: rights.scope }] : []));
  return {
    collection: {
      browseEnabled: right('browse'),
      readEnabled: right('read'),
      editEnabled: right('edit'),
      addEnabled: right('add'),
      deleteEnabled: right('delete'),
      exportEnabled: right('export'),
    },
    actions: Object.fromEntries(
      [...new Set([...knownActions, ...named])].map((name) => [
        name,
        actionPermissions(
          roles.map(({ roleId, rights }) => ({ roleId, rights: rights?.actions && entryOf(rights.actions, name) })),
        ),
      ]),
    ),
    ...(fields ? { fields } : {}),
    ...(scopes.length > 0 ? { scopes } : {}),
  };
}

/** By field, what the roles may do that have a rule for it; `undefined` where there are no rules. */
function fieldPermissions(
  roles: readonly RoleEntry<RoleCollection>[],
): Readonly<Record<string, FieldPermission[]>> | undefined {
  const byField = new Map<string, FieldPermission[]>();
  for (const { roleId, rights } of roles) {
    for (const [field, rule] of Object.entries(rights?.fields ?? {})) {
      byField.set(field, [...(byField.get(field) ?? []), { roles: [roleId], ...fieldRightOf(rule) }]);
    }
  }
  return byField.size === 0 ? undefined : Object.fromEntries(byField);
}

function actionPermissions(roles: readonly RoleEntry<RoleAction>[]) {
  const conditional = (name: 'trigger' | 'needsApproval' | 'approve') => ({
    right: heldBy(roles, (rights) => isGiven(rights[name])),
    conditions: roles.flatMap(({ roleId, rights }) => {
      const given = rights?.[name];
      return typeof given === 'object' ? [{ roleId, filter: given.where }] : [];
    }),
  });
  const trigger = conditional('trigger');
  const duty = conditional('needsApproval');
  const approve = conditional('approve');
  return {
    triggerEnabled: trigger.right,
    triggerConditions: trigger.conditions,
    approvalRequired: duty.right,
    approvalRequiredConditions: duty.conditions,
    userApprovalEnabled: approve.right,
    userApprovalConditions: approve.conditions,
    selfApprovalEnabled: heldBy(roles, ({ selfApprove }) => selfApprove === true),
  };
}

export function isGiven(right: ConditionalRight): boolean {
  return right !== undefined && right !== false;
}

function heldBy<Rights>(roles: readonly RoleEntry<Rights>[], isHeld: (rights: Rights) => boolean): Right {
  return { roles: roles.flatMap(({ roleId, rights }) => (rights !== undefined && isHeld(rights) ? [roleId] : [])) };
}

/** What a team sees. A document that names teams shows nothing to the others. */
export function renderingPermissionsOf(
  { teams }: PermissionFile,
  collections: readonly Pick<KnownCollection, 'name'>[],
  rendering: { readonly id: number; readonly team: string },
): RenderingPermissions {
  const team = { id: rendering.id, name: rendering.team };
  if (teams && !Object.hasOwn(teams, rendering.team)) return { team, collections: {}, stats: [] };
  const { collections: own = {}, charts = [] } = teams?.[rendering.team] ?? {};
  const names = new Set([...collections.map(({ name }) => name), ...Object.keys(own)]);
  return {
    team,
    collections: Object.fromEntries(
      [...names].map((name) => {
        const { scope = null, segments = [] } = (Object.hasOwn(own, name) ? own[name] : undefined) ?? {};
        const live = segments.flatMap(({ connection, query }) =>
          connection === undefined ? [] : [{ connectionName: connection, query }],
        );
        const plain = segments.filter(({ connection }) => connection === undefined).map(({ query }) => query);
        return [name, { scope, segments: plain, liveQuerySegments: live }];
      }),
    ),
    stats: charts,
  };
}

/** What the document says of a person; no roles where it leaves them as they are. E-mail addresses count without regard to case. */
export function personIn({ people = {} }: PermissionFile, email: string) {
  const wanted = email.toLowerCase();
  const found = Object.entries(people).find(([known]) => known.toLowerCase() === wanted)?.[1];
  return { roles: found && rolesOf(found), tags: found?.tags ?? {} };
}

/** Who may reach the data, as agents ask for it. */
export function ipRulesOf({ ipRules }: PermissionFile): IpRules {
  return {
    use_ip_whitelist: ipRules !== undefined,
    rules: (ipRules ?? []).map((rule) => {
      if (typeof rule !== 'string') return { type: 1, ipMinimum: rule.from, ipMaximum: rule.to };
      return rule.includes('/') ? { type: 2, range: rule } : { type: 0, ip: rule };
    }),
  };
}
