import type { FastifyInstance } from 'fastify';
import type { EndedSessions } from '#contracts/ended-sessions';
import type { Clock } from '#kernel/ports/clock';
import type { Guards } from '../access/guards.ts';
import { rememberedMs } from '../events/end-agent-sessions.ts';
import { listEndedMcpGrants } from '../mcp-authorization/ended-grants.ts';
import type { Store } from '../store/store.ts';

/** Tells agents whose tokens they refuse: `#contracts/ended-sessions`. */
export function registerEndedSessions(server: FastifyInstance, guards: Guards, store: Store, clock: Clock): void {
  const onRequest = guards.environment.check;
  server.get('/agent/v1/ended-sessions', { onRequest }, async (request): Promise<EndedSessions> => {
    const now = clock.now();
    const { id: environmentId } = guards.environment.of(request);
    const rows = await store.db
      .selectFrom('endedSessions')
      .select(['userId', 'endedAt'])
      .where('environmentId', '=', environmentId)
      .where('endedAt', '>=', now - rememberedMs)
      .orderBy('userId')
      .execute();
    return {
      people: rows.map(({ userId, endedAt }) => ({ id: userId, msAgo: Math.max(0, now - endedAt) })),
      grants: [...(await listEndedMcpGrants(store, environmentId, now))],
    };
  });
}
