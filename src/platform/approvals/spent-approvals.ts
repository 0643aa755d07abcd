import type { FastifyInstance } from 'fastify';
import { type Spending, spendingAnswerSchema, spendingSchema } from '#contracts/spent-approvals';
import type { Clock } from '#kernel/ports/clock';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';

/** The approvals that agents have used, by environment. */
export interface SpentApprovalRepository {
  /** Whether the approval is good for the run: it was not used before, or only by this run. */
  spend(environmentId: number, spending: Spending): Promise<boolean>;
}

/** Agents refuse what has ended. Their clocks may be behind that of the platform by this much. */
const keptSeconds = 24 * 60 * 60;

export function createSpentApprovalRepository(store: Store, clock: Clock): SpentApprovalRepository {
  return {
    spend: (environmentId, { digest, runId, expiresAt }) =>
      store.transaction(async ({ db }) => {
        const endedBefore = Math.floor(clock.now() / 1000) - keptSeconds;
        await db.deleteFrom('spentApprovals').where('expiresAt', '<', endedBefore).execute();
        // A second run waits here until the first one is committed.
        await db
          .insertInto('spentApprovals')
          .values({ environmentId, digest, runId, expiresAt })
          .onConflict((same) => same.doNothing())
          .execute();
        const spent = await db
          .selectFrom('spentApprovals')
          .select('runId')
          .where((the) => the.and({ environmentId, digest }))
          .executeTakeFirst();
        return spent?.runId === runId;
      }),
  };
}

export function registerApprovalRoutes(
  server: FastifyInstance,
  guards: Guards,
  approvals: SpentApprovalRepository,
): void {
  server.post('/agent/v1/spent-approvals', { onRequest: guards.environment.check }, async (request) => {
    const spending = parseInput(spendingSchema, request.body);
    const isFirstRun = await approvals.spend(guards.environment.of(request).id, spending);
    return spendingAnswerSchema.parse({ isFirstRun });
  });
}
