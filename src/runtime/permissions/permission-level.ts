import type { PlatformUser } from '#contracts/permissions';

/** Whether somebody edits the project. Editors see all charts and database segments; their rights on data are those of the role. */
export function isEditor({ permissionLevel }: PlatformUser): boolean {
  return permissionLevel !== 'user';
}
