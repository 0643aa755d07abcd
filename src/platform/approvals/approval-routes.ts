import type { FastifyInstance } from 'fastify';
import { spendingAnswerSchema, spendingSchema } from '#contracts/spent-approvals';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { SpentApprovalRepository } from './spent-approval-repository.ts';

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
