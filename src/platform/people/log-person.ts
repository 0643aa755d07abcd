import type { AdminValues } from '#contracts/audit/admin-values';
import type { PermissionLevel } from '#contracts/identity';
import { canonicalJson } from '#kernel/json/canonical-json';
import { auditUserOf, type LogChange } from '../audit/admin-log.ts';

/** A member, active or not. */
export interface LoggedPerson {
  readonly id: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly permissionLevel: PermissionLevel;
  readonly roleName: string;
  readonly team: string;
  readonly deactivatedAt: number | null;
}

/**
 * Log who became a member, is one no longer, or is another one now. Somebody who is deactivated is not a member. Nothing is logged
 * where nothing is different.
 *
 * @param joining type of the change that makes somebody a member.
 */
export function logPerson(
  log: LogChange,
  before: LoggedPerson | undefined,
  after: LoggedPerson,
  joining: 'add' | 'initial' = 'add',
): void {
  const resource = 'user-project';
  const previousValue = before && personValue(before);
  const newValue = personValue(after);
  const wasActive = before?.deactivatedAt === null;
  const isActive = after.deactivatedAt === null;
  if (isActive && !wasActive) log({ type: joining, resource, newValue });
  else if (wasActive && !isActive) log({ type: 'remove', resource, previousValue });
  else if (canonicalJson(previousValue) !== canonicalJson(newValue)) {
    log({ type: 'update', resource, previousValue, newValue });
  }
}

function personValue(person: LoggedPerson): AdminValues['user-project'] {
  const { permissionLevel, roleName, team } = person;
  const user = auditUserOf(person);
  return { user, permissionLevel, tags: [], role: { name: roleName }, teams: [{ name: team }] };
}
