import type { Generated } from 'kysely';
import type { PermissionLevel } from '#contracts/identity';
import type { MembershipSource } from '#contracts/memberships';

/** People, how they sign in, and what they may sign in with. */
export interface PeopleTables {
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
    /** Until when they may set up their first second factor at a sign-in. */
    readonly factorSetupUntil: Generated<number | null>;
  };
  readonly roles: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly name: string;
    /** 1 where its people sign in with a second factor. */
    readonly needsSecondFactor: Generated<number>;
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
    /** Names of the first role and team of somebody who follows groups, where none gives one; `null` once an administrator has given them. */
    readonly defaultRole: string | null;
    readonly defaultTeam: string | null;
    /** The level that an administrator gave, while a group makes somebody an administrator. */
    readonly levelWithoutGroup: PermissionLevel | null;
  };
  /** What members have beside the role and the team of their own row. */
  readonly memberships: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly userId: number;
    readonly kind: 'role' | 'team';
    /** Name of a role or of a team of the project. */
    readonly name: string;
    readonly source: MembershipSource;
    /** Name of the group, or id of the elevation; `null` for an administrator. */
    readonly sourceName: string | null;
    /** Where it counts; `null` in all environments of the project. */
    readonly environmentId: number | null;
    readonly endsAt: number | null;
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
  readonly peopleChanges: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly userId: number;
    readonly authorId: number;
    readonly at: number;
    /** JSON, `PersonChanges` of `#contracts/people`. */
    readonly changes: string;
  };
  /** Teams that stay without people and rights. */
  readonly keptTeams: {
    readonly projectId: number;
    readonly name: string;
  };
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
  /** Roles that people take for a time. */
  readonly elevations: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly environmentId: number;
    readonly userId: number;
    readonly role: string;
    readonly reason: string;
    readonly minutes: number;
    readonly askedAt: number;
    /** When somebody agreed or refused, or it began by itself; `null` while it is asked for. */
    readonly decidedAt: number | null;
    /** `null` where nobody else had to agree. */
    readonly decidedBy: number | null;
    /** When it ends by itself; `null` where it never began. */
    readonly endsAt: number | null;
    /** When it was over: its time, or an earlier end. */
    readonly endedAt: number | null;
  };
  /** What an invitation gives beside the role and the team of its own row. */
  readonly invitedMemberships: {
    readonly invitationId: number;
    readonly kind: 'role' | 'team';
    readonly name: string;
  };
  readonly passwords: {
    readonly userId: number;
    readonly hash: string;
    readonly changedAt: number;
  };
  readonly passwordResets: {
    /** SHA-256 of what the link carries. */
    readonly secretHash: string;
    readonly userId: number;
    readonly madeBy: number;
    readonly expiresAt: number;
    readonly usedAt: number | null;
  };
  readonly signInTries: {
    /** An account or an address, as SHA-256: people type passwords where an e-mail belongs. */
    readonly subject: string;
    /** Without a success in between. */
    readonly failures: number;
    readonly lockedUntil: number;
    readonly failedAt: number;
  };
  /** Whose sessions agents no longer accept, if they began before. */
  readonly endedSessions: {
    readonly environmentId: number;
    readonly userId: number;
    readonly endedAt: number;
  };
  readonly signIns: {
    /** What the OpenID provider calls it: `Client`, `Session`, `AuthorizationCode`, … */
    readonly kind: string;
    /** SHA-256 of the id. */
    readonly id: string;
    readonly uid: string | null;
    readonly grantId: string | null;
    /** JSON. */
    readonly payload: string;
    readonly expiresAt: number | null;
    readonly consumedAt: number | null;
    /** Whose it is. */
    readonly accountId: number | null;
    readonly clientId: string | null;
    /** SHA-256 of the code that a device shows. */
    readonly userCode: string | null;
    /** Where the request came from that made it. */
    readonly address: string | null;
    /** What the browser said of itself then, the beginning of it. */
    readonly userAgent: string | null;
    readonly createdAt: number | null;
    /** Of a session; a minute late at most. */
    readonly lastUsedAt: number | null;
  };
  readonly signInKeys: {
    /** As tokens name it. */
    readonly id: string;
    /** The private keys, encrypted under the key of the platform. */
    readonly sealed: string;
    readonly createdAt: number;
  };
  /** What people sign in with beside their password. */
  readonly factors: {
    readonly id: Generated<number>;
    readonly userId: number;
    readonly kind: 'passkey' | 'totp';
    readonly name: string;
    readonly createdAt: number;
    readonly lastUsedAt: number | null;
    /** The host for which a passkey was made. Browsers offer it nowhere else. */
    readonly host: string | null;
    /** Of a passkey, in base64url, as is its public key. */
    readonly credentialId: string | null;
    readonly publicKey: string | null;
    /** How often the authenticator says that the passkey was used; many always say 0. */
    readonly counter: number | null;
    /** JSON, an array: how browsers reach the authenticator. */
    readonly transports: string | null;
    /** The secret of an authenticator app, encrypted under the key of the platform. */
    readonly sealed: string | null;
    /** The step of time of the last code that was taken. No code of it or before is taken again. */
    readonly lastStep: number | null;
  };
  readonly recoveryCodes: {
    readonly userId: number;
    /** SHA-256. */
    readonly codeHash: string;
    readonly usedAt: number | null;
  };
  /** What a group of the company gives in a project. The order of their ids is that of the mapping. */
  readonly groupMappings: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly groupName: string;
    /** 1 where whoever is in the group administers the project. */
    readonly makesAdministrator: number;
  };
  readonly groupGrants: {
    readonly mappingId: number;
    readonly position: number;
    readonly kind: 'role' | 'team';
    readonly name: string;
  };
  /** The groups that the OpenID provider of the company named when the person signed in last. */
  readonly companyGroups: {
    readonly userId: number;
    readonly name: string;
  };
  readonly scimTokens: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly name: string;
    /** The last characters of the secret. */
    readonly hint: string;
    readonly secretHash: string;
    /** The role and the team of people who are in no group that gives one. */
    readonly role: string;
    readonly team: string;
    readonly createdBy: number;
    readonly createdAt: number;
    readonly revokedAt: number | null;
    readonly lastUsedAt: number | null;
    /** Why a change was refused last. */
    readonly lastRefusal: string | null;
    readonly lastRefusedAt: number | null;
  };
  /** What SCIM says of members. */
  readonly scimUsers: {
    readonly projectId: number;
    readonly userId: number;
    readonly userName: string;
    readonly externalId: string | null;
    readonly givenName: string;
    readonly familyName: string;
    /** 1 where SCIM has made the person. */
    readonly isOwn: number;
    /** 1 where SCIM knows the person no more. */
    readonly isDeleted: number;
    readonly createdAt: number;
    readonly changedAt: number;
  };
  readonly scimGroups: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly name: string;
    readonly externalId: string | null;
    readonly createdAt: number;
    readonly changedAt: number;
  };
  readonly scimGroupMembers: {
    readonly groupId: number;
    readonly userId: number;
  };
  readonly setupLinks: {
    /** SHA-256 of the secret in the link. */
    readonly secretHash: string;
    readonly expiresAt: number;
  };
  readonly tokens: {
    readonly id: Generated<number>;
    readonly tokenHash: string;
    readonly userId: number;
    readonly environmentId: number;
    readonly purpose: string;
    /** Where it was made from, where that is known. */
    readonly address: string | null;
    readonly createdAt: number;
    readonly expiresAt: number;
    readonly revokedAt: number | null;
    /** Id of the token that it was printed from; `null` for a sign-in. */
    readonly printedFrom: number | null;
    /** What it opens: `platform`; `agent` or `mcp`, where it is exchanged. */
    readonly audience: Generated<string>;
    /** 1 where it opens nothing to writes. */
    readonly isReadOnly: Generated<number>;
    /** 1 where its owner had given a second factor. */
    readonly hasSecondFactor: Generated<number>;
    /** A minute late at most. */
    readonly lastUsedAt: number | null;
  };
  readonly apiTokens: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly name: string;
    /** The last characters of the secret. */
    readonly hint: string;
    /** JSON, an array of scopes as they were asked for. */
    readonly scopes: string;
    /** JSON, an array of addresses and ranges. Empty: every address. */
    readonly allowedCidrs: string;
    readonly createdBy: number;
    readonly createdAt: number;
    readonly rotatedAt: number | null;
    /** How long a new secret is valid. `null`: it does not expire. */
    readonly lifetimeMs: number | null;
    readonly expiresAt: number | null;
    readonly revokedAt: number | null;
    readonly lastUsedAt: number | null;
    readonly lastUsedAddress: string | null;
    /** When the log last said that the token expires soon. */
    readonly warnedAt: number | null;
  };
  /** The secrets of tokens: the newest one, and those that a rotation left valid for a while. */
  readonly apiTokenSecrets: {
    readonly secretHash: string;
    readonly tokenId: number;
    /** `null` for the newest one, which is valid as long as the token. */
    readonly endsAt: number | null;
  };
  /** How somebody likes the console in a project. */
  readonly preferences: {
    readonly userId: number;
    readonly projectId: number;
    /** Counts from 1. */
    readonly revision: number;
    /** JSON. */
    readonly document: string;
  };
  readonly teamViews: {
    readonly id: Generated<number>;
    readonly projectId: number;
    readonly team: string;
    readonly ownerId: number;
    /** Counts from 1. */
    readonly revision: number;
    readonly name: string;
    readonly collection: string;
    /** JSON. */
    readonly document: string;
    readonly changedAt: number;
  };
}
