import type { EventHub } from '../events/event-hub.ts';
import type { IdentityRepository } from './identity-repository.ts';

/** People whose comings are announced to the agents of the environment they come to. */
export function announcedIdentity(identity: IdentityRepository, events: EventHub): IdentityRepository {
  return {
    ...identity,
    provisionDevelopment: async (input) => {
      const provisioned = await identity.provisionDevelopment(input);
      events.publish(provisioned.environment.id, { name: 'refresh-users' });
      return provisioned;
    },
  };
}
