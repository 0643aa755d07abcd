import type { PlatformUser, Right } from '#contracts/permissions';

/** The roles that hold a right, in ascending order. A right of everybody is one of every role that some user has. */
export function rolesThatApprove(right: Right, users: Iterable<PlatformUser>): readonly number[] {
  const roles = typeof right !== 'boolean' ? right.roles : right ? [...users].map(({ roleId }) => roleId) : [];
  return [...new Set(roles)].sort((a, b) => a - b);
}
