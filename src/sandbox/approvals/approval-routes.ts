import type { FastifyInstance } from 'fastify';
import { type Spending, spendingAnswerSchema, spendingSchema } from '#contracts/spent-approvals';
import type { Clock } from '#kernel/ports/clock';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { Guards } from '../server/guards.ts';
import { parseInput } from '../server/parse-input.ts';

/** The approvals that agents have used, by environment. */
export interface SpentApprovalRepository {
  /** Whether the approval is good for the run: it was not used before, or by this run alone. */
  spend(environmentId: number, spending: Spending): Promise<boolean>;
}

/** Agents refuse what has ended. Their clocks may be behind that of the platform by this much. */
const keptSeconds = 24 * 60 * 60;

export function createSqliteSpentApprovalRepository(
  connection: SqliteConnection,
  clock: Clock,
): SpentApprovalRepository {
  return {
    spend: async (environmentId, { digest, runId, expiresAt }) => {
      const endedBefore = Math.floor(clock.now() / 1000) - keptSeconds;
      return connection.transaction(() => {
        connection.run('delete from spent_approvals where expires_at < ?', [endedBefore]);
        connection.run(
          'insert into spent_approvals (environment_id, digest, run_id, expires_at) values (?, ?, ?, ?) on conflict do nothing',
          [environmentId, digest, runId, expiresAt],
        );
        const [row] = connection.all('select run_id from spent_approvals where environment_id = ? and digest = ?', [
          environmentId,
          digest,
        ]);
        return row?.['run_id'] === runId;
      });
    },
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
