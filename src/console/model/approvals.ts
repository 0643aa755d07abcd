import { queryOptions } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Approval, ApprovalContent } from '#contracts/approvals';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import { ask } from '../wire/http.ts';
import { preferences, setPreferences } from './preferences.ts';

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

/** What one of them is about, as the agent shows it now. */
export function approvalContentQuery(agent: AgentAddress, id: number) {
  return queryOptions({
    queryKey: ['approvals', agent.environment, id],
    queryFn: ({ signal }) => askAgent<ApprovalContent>(agent, ['_internal', 'approvals', String(id)], {}, { signal }),
    staleTime: 5_000,
    retry: false,
  });
}

/** Refuse a request, take one back, or say something. */
export function answerApproval(
  { environment }: AgentAddress,
  id: number,
  act: 'refuse' | 'comments' | 'withdraw',
  comment: string,
): Promise<Approval> {
  const headers = { 'service-environment': environment };
  if (act === 'withdraw') return ask(`/api/approvals/${id}`, { method: 'DELETE', headers });
  const body = comment.trim() === '' ? {} : { comment };
  return ask(`/api/approvals/${id}/${act}`, { method: 'POST', headers, body });
}

/** The answers of others to what the person has asked for, as far as the person has not seen them. */
export function newAnswers(approvals: readonly Approval[], seenAt: string): readonly Approval[] {
  return approvals.filter(
    ({ isOwn, person, decidedBy, decidedAt }) =>
      isOwn && decidedAt !== null && decidedBy?.id !== person.id && decidedAt > seenAt,
  );
}

/** The person sees these requests. */
export function useSeenAnswers(approvals: readonly Approval[]): void {
  const times = newAnswers(approvals, '').flatMap(({ decidedAt }) => decidedAt ?? []);
  const newest = times.toSorted().at(-1) ?? '';
  useEffect(() => {
    if (newest > preferences().answersSeenAt) setPreferences({ answersSeenAt: newest });
  }, [newest]);
}
