import { queryOptions } from '@tanstack/react-query';
import type { Me } from '#contracts/identity';
import { setAgents } from '../wire/agent.ts';
import { ask } from '../wire/http.ts';
import { noteSignedIn } from '../wire/session.ts';

/** Who uses the console, and what they may do. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const person = await ask<Me>('/api/me', { signal });
    noteSignedIn(person.user.id);
    setAgents(person.environments);
    return person;
  },
  staleTime: 60_000,
});

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

/** Whether somebody may invite people, and change what they have. */
export function mayManagePeople({ deeds }: Pick<Me, 'deeds'>): boolean {
  return deeds.includes('manage people');
}
