import type { Generated } from 'kysely';
import type { PermissionLevel } from '#contracts/identity';

export interface InvitationTables {
  readonly invitations: {
    readonly id: Generated<number>;
    readonly projectId: number;
    /** In lower case. */
    readonly email: string;
    readonly permissionLevel: PermissionLevel;
    readonly roleId: number;
    readonly team: string | null;
    /** SHA-256 of what the link carries. */
    readonly secretHash: string;
    readonly invitedBy: number;
    readonly createdAt: number;
    readonly expiresAt: number;
    readonly acceptedAt: number | null;
    readonly revokedAt: number | null;
  };
}
