import type { EventHub } from '../events/event-hub.ts';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { SchemaRepository } from './schema-repository.ts';

/** Schemas whose changes are announced: which collections the permissions name depends on them. */
export function announcedSchemas(
  schemas: SchemaRepository,
  identity: IdentityRepository,
  events: EventHub,
): SchemaRepository {
  return {
    ...schemas,
    save: async (environmentId, hash, document) => {
      await schemas.save(environmentId, hash, document);
      const renderings = await identity.listRenderings(environmentId);
      events.publish(environmentId, { name: 'refresh-roles' });
      events.publish(environmentId, { name: 'refresh-renderings', renderingIds: renderings.map(({ id }) => id) });
    },
  };
}
