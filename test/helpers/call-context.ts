import type { CallContext } from '#runtime/records/calls/call-context';

/** The context of a request by a plain user in the time zone. */
export function callIn(timezone: string): CallContext {
  const person = { id: 1, email: 'ada@example.test', firstName: 'Ada', lastName: 'L', team: 'T', role: 'R' };
  return {
    caller: {
      ...person,
      roles: [person.role],
      teams: [person.team],
      permissionLevel: 'user',
      renderingId: 1,
      tags: {},
      timezone,
      requestId: 'r',
    },
  };
}

/** Where rights are not what is tested. */
export { allowEverything as everythingAllowed } from '#runtime/permissions/authoriser';
