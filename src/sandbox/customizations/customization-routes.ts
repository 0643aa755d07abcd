import type { FastifyInstance } from 'fastify';
import { modelCustomizationsSchema } from '#contracts/model-customizations';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { EventHub } from '../events/event-hub.ts';
import type { Guards } from '../server/guards.ts';

/** What was customized on the platform, without code; a change is announced. */
export interface CustomizationRepository {
  find(environmentId: number): Promise<readonly unknown[]>;
  save(environmentId: number, customizations: readonly unknown[]): Promise<void>;
}

export function createSqliteCustomizationRepository(
  connection: SqliteConnection,
  events: EventHub,
): CustomizationRepository {
  return {
    find: async (environmentId) => {
      const [row] = connection.all('select document from customizations where environment_id = ?', [environmentId]);
      return row ? modelCustomizationsSchema.parse(JSON.parse(String(row['document']))) : [];
    },
    save: async (environmentId, customizations) => {
      connection.run(
        `insert into customizations (environment_id, document) values (?, ?)
         on conflict (environment_id) do update set document = excluded.document`,
        [environmentId, JSON.stringify(customizations)],
      );
      events.publish(environmentId, { name: 'refresh-customizations' });
    },
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
