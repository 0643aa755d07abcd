import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';

/** Where permissions come from: the platform. */
export interface PermissionSource {
  environmentPermissions(): Promise<EnvironmentPermissions>;
  users(): Promise<readonly PlatformUser[]>;
  renderingPermissions(renderingId: number): Promise<RenderingPermissions>;
}
