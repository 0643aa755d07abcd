import type * as z from 'zod';
import { type CreateElevation, type Elevation, elevationListSchema, elevationSchema } from '#contracts/elevations';
import {
  type ChangePerson,
  type CreatedInvitation,
  createdInvitationSchema,
  type createInvitationSchema,
  type Invitation,
  invitationsSchema,
  type PasswordReset,
  type Person,
  passwordResetSchema,
  peopleSchema,
  personSchema,
  type Role,
  roleListSchema,
  roleSchema,
  type Team,
  teamListSchema,
  teamSchema,
} from '#contracts/people';
import type { PermissionFile } from '#contracts/permission-file';
import {
  type AgentList,
  agentListSchema,
  type CheckedRights,
  checkedRightsSchema,
  type RefusedByRights,
  type ReplaceRights,
  type Rights,
  type RightsHistory,
  type RightsWatch,
  refusedByRightsSchema,
  rightsHistorySchema,
  rightsSchema,
  rightsWatchSchema,
  type SuggestedRights,
  suggestedRightsSchema,
} from '#contracts/rights';
import type { createPlatformTransport } from './platform-transport.ts';

/** The rights of an environment, and the agents that follow them. */
export interface RightsClient {
  /** Who may do what in the environment. */
  rights(): Promise<Rights>;
  /**
   * Rejects with `REQUEST_CONFLICT` when another revision than the base counts, `ADMINISTRATORS_LOCKED_OUT` or
   * `PERMISSION_FILE_INVALID`.
   */
  replaceRights(input: ReplaceRights): Promise<Rights>;
  /** The people who would have no rights at all. Nothing changes. */
  checkRights(document: PermissionFile | null): Promise<CheckedRights>;
  /** The least rights that the last days used. Nothing changes. */
  suggestedRights(days: number): Promise<SuggestedRights>;
  /** What people did in the last days and the rights would have refused. Nothing changes. */
  refusedByRights(document: PermissionFile, days: number): Promise<RefusedByRights>;
  /** The rights that the environment is watched with, and what they would have refused since then. */
  rightsWatch(): Promise<RightsWatch>;
  /** Hold what people do from now on against some rights. Rejects with `PERMISSION_FILE_INVALID`. */
  watchRights(document: PermissionFile): Promise<RightsWatch>;
  endRightsWatch(): Promise<void>;
  /** Newest first; `before` is the `nextBefore` of the page before. */
  rightsHistory(page?: { readonly limit?: number; readonly before?: number }): Promise<RightsHistory>;
  /** The agents that listen, and which changes they know of. */
  agents(): Promise<AgentList>;
  /** The roles that people take for a time, the newest first: those that the person of the token may know of. */
  elevations(): Promise<readonly Elevation[]>;
  /** Take a role for a time, or ask for it. */
  elevate(input: CreateElevation): Promise<Elevation>;
  /** Agree to what somebody else has asked for, or refuse it. */
  decideElevation(id: number, decision: 'grant' | 'refuse'): Promise<Elevation>;
  endElevation(id: number): Promise<Elevation>;
}

export function createRightsClient(transport: ReturnType<typeof createPlatformTransport>): RightsClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  const once = { credential: 'userToken', isRepeatable: false } as const;
  return {
    rights: () => transport.fetchJson({ ...get, path: 'api/rights' }, rightsSchema),
    replaceRights: (input) =>
      transport.fetchJson(
        { method: 'PUT', path: 'api/rights', credential: 'userToken', isRepeatable: false, json: input },
        rightsSchema,
      ),
    checkRights: (document) =>
      transport.fetchJson(
        { method: 'POST', path: 'api/rights/check', credential: 'userToken', isRepeatable: true, json: { document } },
        checkedRightsSchema,
      ),
    suggestedRights: (days) =>
      transport.fetchJson({ ...get, path: `api/rights/suggestion?days=${days}` }, suggestedRightsSchema),
    refusedByRights: (document, days) =>
      transport.fetchJson(
        {
          method: 'POST',
          path: 'api/rights/refusals',
          credential: 'userToken',
          isRepeatable: true,
          json: { document, days },
        },
        refusedByRightsSchema,
      ),
    rightsWatch: () => transport.fetchJson({ ...get, path: 'api/rights/watch' }, rightsWatchSchema),
    watchRights: (document) =>
      transport.fetchJson({ ...once, method: 'PUT', path: 'api/rights/watch', json: { document } }, rightsWatchSchema),
    endRightsWatch: async () => {
      await transport.send({ ...once, method: 'DELETE', path: 'api/rights/watch' });
    },
    rightsHistory: ({ limit = 20, before } = {}) =>
      transport.fetchJson(
        { ...get, path: `api/rights/history?limit=${limit}${before === undefined ? '' : `&before=${before}`}` },
        rightsHistorySchema,
      ),
    agents: () => transport.fetchJson({ ...get, path: 'api/agents' }, agentListSchema),
    elevations: async () =>
      (await transport.fetchJson({ ...get, path: 'api/elevations' }, elevationListSchema)).elevations,
    elevate: (input) =>
      transport.fetchJson({ ...once, method: 'POST', path: 'api/elevations', json: input }, elevationSchema),
    decideElevation: (id, decision) =>
      transport.fetchJson({ ...once, method: 'POST', path: `api/elevations/${id}/${decision}` }, elevationSchema),
    endElevation: (id) =>
      transport.fetchJson({ ...once, method: 'DELETE', path: `api/elevations/${id}` }, elevationSchema),
  };
}

/** The people of a project, its teams and its roles. */
export interface PeopleClient {
  /** The members, those who are deactivated included. */
  people(): Promise<readonly Person[]>;
  changePerson(id: number, change: ChangePerson): Promise<Person>;
  /** A link to set a new password. Tried once: the answer alone has it. */
  makePasswordReset(id: number): Promise<PasswordReset>;
  /** The newest first. */
  invitations(): Promise<readonly Invitation[]>;
  /** Tried once: the answer alone has the link. */
  invite(input: z.input<typeof createInvitationSchema>): Promise<CreatedInvitation>;
  revokeInvitation(id: number): Promise<void>;
  roles(): Promise<readonly Role[]>;
  /** Say whether the people of a role need a second factor. */
  changeRole(name: string, change: { readonly needsSecondFactor: boolean }): Promise<Role>;
  teams(): Promise<readonly Team[]>;
  createTeam(name: string): Promise<Team>;
  removeTeam(name: string): Promise<void>;
}

export function createPeopleClient(transport: ReturnType<typeof createPlatformTransport>): PeopleClient {
  const get = { method: 'GET', credential: 'userToken', isRepeatable: true } as const;
  const post = { method: 'POST', credential: 'userToken', isRepeatable: false } as const;
  const remove = { method: 'DELETE', credential: 'userToken', isRepeatable: false } as const;
  return {
    people: async () => (await transport.fetchJson({ ...get, path: 'api/people' }, peopleSchema)).people,
    changePerson: (id, change) =>
      transport.fetchJson({ ...post, method: 'PATCH', path: `api/people/${id}`, json: change }, personSchema),
    makePasswordReset: (id) =>
      transport.fetchJson({ ...post, path: `api/people/${id}/password-reset` }, passwordResetSchema),
    invitations: async () =>
      (await transport.fetchJson({ ...get, path: 'api/invitations' }, invitationsSchema)).invitations,
    invite: (input) => transport.fetchJson({ ...post, path: 'api/invitations', json: input }, createdInvitationSchema),
    revokeInvitation: async (id) => {
      await transport.send({ ...remove, path: `api/invitations/${id}` });
    },
    roles: async () => (await transport.fetchJson({ ...get, path: 'api/roles' }, roleListSchema)).roles,
    changeRole: (name, change) =>
      transport.fetchJson(
        { ...post, method: 'PATCH', path: `api/roles/${encodeURIComponent(name)}`, json: change },
        roleSchema,
      ),
    teams: async () => (await transport.fetchJson({ ...get, path: 'api/teams' }, teamListSchema)).teams,
    createTeam: (name) => transport.fetchJson({ ...post, path: 'api/teams', json: { name } }, teamSchema),
    removeTeam: async (name) => {
      await transport.send({ ...remove, path: `api/teams/${encodeURIComponent(name)}` });
    },
  };
}
