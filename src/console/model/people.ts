import { queryOptions } from '@tanstack/react-query';
import type {
  ChangePerson,
  CreatedInvitation,
  CreateInvitation,
  Invitation,
  PasswordReset,
  Person,
  Role,
  Team,
} from '#contracts/people';
import { ask } from '../wire/http.ts';

/** Everybody who works on a project, and what people can be given in it. */
export interface ProjectPeople {
  readonly people: readonly Person[];
  /** Those that nobody has used yet. */
  readonly invitations: readonly Invitation[];
  readonly roles: readonly Role[];
  readonly teams: readonly Team[];
}

/** The people of the project. */
export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async ({ signal }): Promise<ProjectPeople> => {
    const [{ people }, { invitations }, { roles }, { teams }] = await Promise.all([
      ask<Pick<ProjectPeople, 'people'>>('/api/people', { signal }),
      ask<Pick<ProjectPeople, 'invitations'>>('/api/invitations', { signal }),
      ask<Pick<ProjectPeople, 'roles'>>('/api/roles', { signal }),
      ask<Pick<ProjectPeople, 'teams'>>('/api/teams', { signal }),
    ]);
    return { people, invitations: invitations.filter(({ state }) => state === 'open'), roles, teams };
  },
  staleTime: 30_000,
});

/** The answer has the only link there is. */
export function invite(invitation: CreateInvitation): Promise<CreatedInvitation> {
  return ask('/api/invitations', { method: 'POST', body: invitation });
}

export function revokeInvitation(id: number): Promise<void> {
  return ask(`/api/invitations/${id}`, { method: 'DELETE' });
}

export function changePerson(id: number, change: ChangePerson): Promise<Person> {
  return ask(`/api/people/${id}`, { method: 'PATCH', body: change });
}

/** A link with which somebody sets a new password, once. */
export function makePasswordReset(id: number): Promise<PasswordReset> {
  return ask(`/api/people/${id}/password-reset`, { method: 'POST' });
}

export function createTeam(name: string): Promise<Team> {
  return ask('/api/teams', { method: 'POST', body: { name } });
}

export function removeTeam(name: string): Promise<void> {
  return ask(`/api/teams/${encodeURIComponent(name)}`, { method: 'DELETE' });
}
