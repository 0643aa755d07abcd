import { queryOptions } from '@tanstack/react-query';
import type { Me } from '#contracts/identity';
import type { Impersonation } from '#contracts/impersonations';
import { setAgents } from '../wire/agent.ts';
import { ask } from '../wire/http.ts';
import { impersonationId, leaveView, noteSignedIn, setImpersonation } from '../wire/session.ts';

/** Who uses the console, and what they may do. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const person = await ask<Me>('/api/me', { signal });
    noteSignedIn(person.impersonation?.by ?? person.user.id);
    setAgents(person.environments);
    // Nothing is changed in the view of somebody else, so nothing offers to.
    return person.impersonation ? { ...person, deeds: person.deeds.filter(isReading) } : person;
  },
  staleTime: 60_000,
});

function isReading(deed: string): boolean {
  return deed.startsWith('read ') || deed === 'use the public API';
}

/** See the console as somebody else does, in this tab. Nothing is written meanwhile. */
export async function startImpersonation(personId: number): Promise<void> {
  const { id } = await ask<Impersonation>('/api/impersonations', { method: 'POST', body: { personId } });
  setImpersonation(id);
  leaveView();
}

/** Go back to one's own view. */
export async function endImpersonation(): Promise<void> {
  const id = impersonationId();
  setImpersonation(undefined);
  if (id !== undefined) await ask(`/api/impersonations/${id}`, { method: 'DELETE' });
  leaveView();
}

/** The environments that have an agent for this browser. */
export function reachableEnvironments({ environments }: Pick<Me, 'environments'>): Me['environments'] {
  return environments.filter(({ agent }) => agent !== null);
}

/** Whether somebody may read the audit log: by its API, as programs do. */
export function mayReadLog({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('use the public API');
}

/** Whether somebody may see who may do what. */
export function mayReadRights({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('read rights');
}

/** Whether somebody may change who may do what. */
export function maySetRights({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('set rights');
}

/** Whether somebody may see what is deployed. */
export function mayReadProject({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('read the project');
}

/** Whether somebody may read what hosts said, and what happened in deployments. */
export function mayReadHostLog({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('read logs');
}

/** Whether somebody may change what an environment serves. */
export function mayDeploy(person: Pick<Me, 'deeds' | 'environments'>, environment: string): boolean {
  return person.deeds.includes(`deploy to ${typeOf(person, environment)}`);
}

/** Whether somebody may see and set the variables of an environment. */
export function maySetVariables(person: Pick<Me, 'deeds' | 'environments'>, environment: string): boolean {
  return person.deeds.includes(`set variables of ${typeOf(person, environment)}`);
}

function typeOf({ environments }: Pick<Me, 'environments'>, environment: string): string | undefined {
  return environments.find(({ name }) => name === environment)?.type;
}

/** Whether somebody may invite people, and change what they have. */
export function mayManagePeople({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('manage people');
}

/** Whether somebody may make tokens for programs, and end them. */
export function mayManageTokens({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('manage API tokens');
}

/** Whether somebody may change and end what others have let in to the MCP server. */
export function mayManageClients({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('manage MCP clients');
}
