import type { Generated } from 'kysely';
import type { PermissionLevel } from '#contracts/identity';

export interface IdentityTables {
  readonly projects: {
    readonly id: Generated<number>;
    readonly name: string;
    readonly createdAt: number;
  };
  readonly users: {
    readonly id: Generated<number>;
    readonly firstName: string;
    readonly lastName: string;
    readonly email: string;
    readonly createdAt: number;
  };
  readonly roles: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly name: string;
  };
  readonly members: {
    readonly projectId: number;
    readonly userId: number;
    readonly roleId: number;
    readonly permissionLevel: PermissionLevel;
    /** Name of one of the teams of the project. */
    readonly team: Generated<string>;
    /** `null` for those who may work. */
    readonly deactivatedAt: number | null;
  };
  readonly environments: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly name: string;
    readonly type: 'development' | 'production';
    readonly secretHash: string;
    readonly apiEndpoint: string | null;
    /** JSON, an array of URLs. */
    readonly agentAddresses: string | null;
    readonly createdAt: number;
  };
  readonly renderings: {
    readonly id: Generated<number>;
    readonly environmentId: number;
    readonly team: string;
  };
}
