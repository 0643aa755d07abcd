import type * as z from 'zod';
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
} from '#contracts/people';
import { type Role, roleListSchema, type Team, teamListSchema, teamSchema } from '#contracts/teams';
import type { createPlatformTransport } from './platform-transport.ts';

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
    teams: async () => (await transport.fetchJson({ ...get, path: 'api/teams' }, teamListSchema)).teams,
    createTeam: (name) => transport.fetchJson({ ...post, path: 'api/teams', json: { name } }, teamSchema),
    removeTeam: async (name) => {
      await transport.send({ ...remove, path: `api/teams/${encodeURIComponent(name)}` });
    },
  };
}
