import type { PlatformUser } from '#contracts/permissions';

/** Who edits the project sees the charts and the database segments of everybody; their rights on data stay those of the role. */
export function isEditor({ permissionLevel }: PlatformUser): boolean {
  return permissionLevel !== 'user';
}
