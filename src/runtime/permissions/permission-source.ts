import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';

/** The source of permissions: the platform. */
export interface PermissionSource {
  environmentPermissions(): Promise<EnvironmentPermissions>;
  users(): Promise<PlatformUser[]>;
  renderingPermissions(renderingId: number): Promise<RenderingPermissions>;
}
