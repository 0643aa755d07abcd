import { queryOptions } from '@tanstack/react-query';
import type { Approval } from '#contracts/approvals';
import type { AgentAddress } from '../wire/agent.ts';
import { ask } from '../wire/http.ts';

/** The requests for approvals that the person has made or may decide on. */
export function approvalsQuery({ environment }: AgentAddress) {
  return queryOptions({
    queryKey: ['approvals', environment],
    queryFn: async ({ signal }) => {
      const headers = { 'service-environment': environment };
      return (await ask<{ readonly approvals: readonly Approval[] }>('/api/approvals', { headers, signal })).approvals;
    },
    staleTime: 60_000,
  });
}

/** The answers of others to what the person has asked for, as far as the person has not seen them. */
export function newAnswers(approvals: readonly Approval[], seenAt: string): readonly Approval[] {
  return approvals.filter(
    ({ isOwn, person, decidedBy, decidedAt }) =>
      isOwn && decidedAt !== null && decidedBy?.id !== person.id && decidedAt > seenAt,
  );
}
