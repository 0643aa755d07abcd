import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';

/** Where permissions come from: the platform. */
export interface PermissionSource {
  environmentPermissions(): Promise<EnvironmentPermissions>;
  users(): Promise<PlatformUser[]>;
  renderingPermissions(renderingId: number): Promise<RenderingPermissions>;
}
