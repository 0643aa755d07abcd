import type { PermissionLevel } from '#contracts/identity';

export interface EnvironmentRecord {
  readonly id: number;
  readonly projectId: number;
  readonly projectName: string;
  readonly name: string;
  readonly type: 'development' | 'production';
  readonly apiEndpoint: string | null;
}

export interface UserRecord {
  readonly id: number;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}

export interface MemberRecord extends UserRecord {
  readonly permissionLevel: PermissionLevel;
  readonly roleId: number;
  readonly roleName: string;
}

export interface RenderingRecord {
  readonly id: number;
  readonly environmentId: number;
  readonly team: string;
}

export interface ProvisionInput {
  readonly project: string;
  readonly secretHash: string;
  readonly user: Omit<UserRecord, 'id'>;
}

export interface Provisioned {
  readonly environment: EnvironmentRecord;
  readonly member: MemberRecord;
  readonly rendering: RenderingRecord;
}

/** Projects, their environments and the people who work on them. */
export interface IdentityRepository {
  findEnvironmentBySecret(secretHash: string): Promise<EnvironmentRecord | undefined>;
  findEnvironment(id: number): Promise<EnvironmentRecord | undefined>;
  findUser(id: number): Promise<UserRecord | undefined>;
  /** By id. */
  listMembers(projectId: number): Promise<readonly MemberRecord[]>;
  findRendering(environmentId: number, renderingId: number): Promise<RenderingRecord | undefined>;
  /** By id. */
  listRenderings(environmentId: number): Promise<readonly RenderingRecord[]>;
  /**
   * Make sure that the project, a development environment of that secret, and the user as its administrator exist.
   * The same input gives the same records; an environment whose project has another name by now moves to that project.
   */
  provisionDevelopment(input: ProvisionInput): Promise<Provisioned>;
}
