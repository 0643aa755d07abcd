import type { PermissionLevel } from '#contracts/identity';
import { cloudError } from '#kernel/errors/cloud-error';
import type { SignedInUser } from './guards.ts';

const administrators = ['admin'] as const;
const developers = ['admin', 'developer'] as const;

/** What people do to a project and its environments, and who may. Everything that is not named is nobody's. */
const holders = {
  'read the project': developers,
  'push versions': developers,
  'deploy to development': developers,
  'deploy to production': developers,
  'read logs': developers,
  'set variables of development': developers,
  'set variables of production': administrators,
  'read rights': developers,
  'set rights': administrators,
  'manage people': administrators,
  'impersonate people': administrators,
  'manage environments': administrators,
  'rotate sign-in keys': administrators,
  'manage API tokens': administrators,
  'manage MCP clients': administrators,
  'use the public API': administrators,
} as const satisfies Record<string, readonly PermissionLevel[]>;

export type Deed = keyof typeof holders;

/** What somebody may do in their project. */
export function deedsOf({ permissionLevel }: Pick<SignedInUser['user'], 'permissionLevel'>): readonly Deed[] {
  const isHeld = (deed: Deed) => (holders[deed] as readonly PermissionLevel[]).includes(permissionLevel);
  return (Object.keys(holders) as Deed[]).filter(isHeld);
}

/** Throws `REQUEST_FORBIDDEN` unless somebody may do something in their project. */
export function authorise({ user }: Pick<SignedInUser, 'user'>, deed: Deed): void {
  const levels: readonly PermissionLevel[] = holders[deed];
  if (levels.includes(user.permissionLevel)) return;
  throw cloudError(
    'REQUEST_FORBIDDEN',
    `You may not ${deed}: that takes the level ${levels.join(' or ')}, and yours is ${user.permissionLevel}.`,
    'Ask an administrator of the project.',
  );
}
