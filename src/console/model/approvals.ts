import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Approval, ApprovalContent } from '#contracts/approvals';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import { ask } from '../wire/http.ts';
import { approvalsQuery, newAnswers } from './known-approvals.ts';
import { preferences, setPreferences } from './preferences.ts';

/** What one of them is about, as the agent shows it now. */
export function approvalContentQuery(agent: AgentAddress, id: number) {
  return queryOptions({
    queryKey: ['approvals', agent.environment, id],
    queryFn: ({ signal }) => askAgent<ApprovalContent>(agent, ['_internal', 'approvals', String(id)], {}, { signal }),
    staleTime: 5_000,
    retry: false,
  });
}

/** As many waiting requests as a record's page looks into, because only the agent knows what each is about. */
const mostLookedInto = 20;

/** The waiting requests that the person knows of and that are about a record, and how many others may be about it. */
export function useWaitingApprovals(
  agent: AgentAddress,
  collection: string,
  id: string | undefined,
): { readonly approvals: readonly Approval[]; readonly unknown: number } {
  const { data: all = [] } = useQuery({ ...approvalsQuery(agent), enabled: id !== undefined });
  const waiting = all.filter((each) => each.state === 'asked' && each.collection === collection && each.records > 0);
  const known = waiting.filter(({ isOwn, mayDecide }) => isOwn || mayDecide);
  const lookedInto = known.slice(0, mostLookedInto);
  const contents = useQueries({
    queries: lookedInto.map((approval) => ({ ...approvalContentQuery(agent, approval.id), enabled: id !== undefined })),
  });
  return {
    approvals: lookedInto.filter((_, at) => contents[at]?.data?.records.some((record) => record.id === id)),
    unknown: known.length - lookedInto.length,
  };
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

/** The person sees these requests. */
export function useSeenAnswers(approvals: readonly Approval[]): void {
  const times = newAnswers(approvals, '').flatMap(({ decidedAt }) => decidedAt ?? []);
  const newest = times.toSorted().at(-1) ?? '';
  useEffect(() => {
    if (newest > preferences().answersSeenAt) setPreferences({ answersSeenAt: newest });
  }, [newest]);
}
