import { type EnvironmentPermissions, type PlatformUser, type Right, roleIdsOf } from '#contracts/permissions';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../customizer/caller.ts';
import type { PermissionDocuments, PermissionView } from './permission-documents.ts';

/** Whether the permissions allow one thing, and why, in a few words. */
export type Decision = Allowed | Denied;

interface Allowed {
  readonly isAllowed: true;
  readonly because: string;
}

export interface Denied {
  readonly isAllowed: false;
  readonly because: string;
  /** The error of a refused request. */
  readonly error: CloudError;
}

const inDevelopment = allow('a development environment allows everything');

export function allow(because: string): Allowed {
  return { isAllowed: true, because };
}

export function deny(because: string, error: CloudError): Denied {
  return { isAllowed: false, because, error };
}

/** Denied with `REQUEST_FORBIDDEN`. */
export function forbid(because: string, message: string): Denied {
  const nextSteps = ['Ask an administrator of the project for the right.'] as const;
  return deny(because, cloudError('REQUEST_FORBIDDEN', message, nextSteps, { safeDetails: { because } }));
}

/** Whether one of some roles holds a right, and why. */
export function holding(
  right: Right,
  roleIds: readonly number[],
): { readonly holds: boolean; readonly because: string } {
  if (typeof right === 'boolean') return { holds: right, because: right ? 'everybody may' : 'nobody may' };
  const holders = roleIds.filter((roleId) => right.roles.includes(roleId));
  if (holders.length > 0) return { holds: true, because: `${rolesInWords(holders)} may` };
  const because = right.roles.length === 0 ? 'no role may' : `only ${rolesInWords(right.roles)} may`;
  return { holds: false, because };
}

function rolesInWords(roleIds: readonly number[]): string {
  return `${roleIds.length === 1 ? 'role' : 'roles'} ${roleIds.join(', ')}`;
}

/** A reason that `holding` gave, with the names of roles where they are known. */
export function withRoleNames(because: string, names: Readonly<Record<string, string>>): string {
  return because.replaceAll(/\b(roles? )([\d, ]*\d)/g, (_all, noun: string, ids: string) => {
    const known = ids.split(', ').map((id) => (Object.hasOwn(names, id) ? `"${names[id]}"` : id));
    return noun + known.join(', ');
  });
}

/** The entry of that name. Only a property of the document itself counts: a collection may be called `constructor`. */
export function ownEntry<Value>(entries: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

export type NamedPermissions = Exclude<EnvironmentPermissions, true>;

/** The input of a rule that only looks at roles. */
export interface RoleStanding {
  readonly permissions: NamedPermissions;
  readonly user: RoleHolder;
}

/** Somebody with one role, or with several. */
export type RoleHolder = Pick<PlatformUser, 'roleId' | 'heldRoles'>;

/** The same for people who have the same roles. */
export function keyOfRoles(user: RoleHolder): number | string {
  return user.heldRoles ? roleIdsOf(user).join() : user.roleId;
}

/** The input of a rule: the permissions and the user, from documents of the same age. */
export interface Standing extends RoleStanding {
  readonly user: PlatformUser;
  readonly view: PermissionView;
}

export type Rule = (standing: Standing) => MaybePromise<Decision>;

const isAllowed = Promise.resolve();

/** Throws the error of a denial. A denial on trusted documents is decided again, on fresh ones. */
export function insist(documents: PermissionDocuments, caller: Caller, rule: Rule): Promise<void> {
  const first = judge(documents.trusted, caller, rule);
  if (!(first instanceof Promise) && first.isAllowed) return isAllowed;
  return insistOn(first, () => judge(documents.fresh, caller, rule));
}

async function insistOn(first: MaybePromise<Decision>, lookAgain: () => MaybePromise<Decision>): Promise<void> {
  if ((await first).isAllowed) return;
  const decision = await lookAgain();
  if (!decision.isAllowed) throw decision.error;
}

/** The decision of a rule on documents of one age. */
export function judge(view: PermissionView, caller: Caller, rule: Rule): MaybePromise<Decision> {
  return whenReady(standingOf(view, caller), (standing) => ('isAllowed' in standing ? standing : rule(standing)));
}

/** The standing of a caller, or a decision that holds for every rule. */
export function standingOf(view: PermissionView, { id }: Pick<Caller, 'id'>): MaybePromise<Standing | Decision> {
  return whenReady(view.environment(), (permissions) => {
    if (permissions === true) return inDevelopment;
    return whenReady(view.users(), (users): Standing | Decision => {
      const user = users.get(id);
      if (user) return { permissions, user, view };
      return forbid('the permissions do not name the user', 'The permissions of this environment do not name you.');
    });
  });
}
