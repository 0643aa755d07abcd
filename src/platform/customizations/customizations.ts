import type { FastifyInstance } from 'fastify';
import { modelCustomizationsSchema } from '#contracts/model-customizations';
import type { Guards } from '../access/guards.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { Store } from '../store/store.ts';

/** What was customized on the platform, without code. The agents learn about changes. */
export interface CustomizationRepository {
  find(environmentId: number): Promise<readonly unknown[]>;
  save(environmentId: number, customizations: readonly unknown[]): Promise<void>;
}

export function createCustomizationRepository(store: Store): CustomizationRepository {
  return {
    find: async (environmentId) => {
      const row = await store.db
        .selectFrom('customizations')
        .select('document')
        .where('environmentId', '=', environmentId)
        .executeTakeFirst();
      return row ? modelCustomizationsSchema.parse(JSON.parse(row.document)) : [];
    },
    save: (environmentId, customizations) =>
      store.transaction(async (transaction) => {
        const document = JSON.stringify(customizations);
        await transaction.db
          .insertInto('customizations')
          .values({ environmentId, document })
          .onConflict((same) => same.column('environmentId').doUpdateSet({ document }))
          .execute();
        announceEvent(transaction, environmentId, { name: 'refresh-customizations' });
      }),
  };
}

export function registerCustomizationRoutes(
  server: FastifyInstance,
  guards: Guards,
  customizations: CustomizationRepository,
): void {
  server.get('/agent/model-customizations', { onRequest: guards.environment.check }, (request) =>
    customizations.find(guards.environment.of(request).id),
  );
}
