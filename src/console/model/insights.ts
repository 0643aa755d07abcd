import { queryOptions } from '@tanstack/react-query';
import type { Insights } from '#contracts/insights';
import type { SuggestedRights } from '#contracts/rights';
import { askAgent } from '../wire/agent.ts';
import { ask } from '../wire/http.ts';

interface Place {
  readonly environment: string;
}

/** What the agent has noticed of its own work; it is asked again whenever somebody comes. */
export function insightsQuery({ environment }: Place) {
  return queryOptions({
    queryKey: ['insights', environment],
    queryFn: ({ signal }) => askAgent<Insights>({ environment }, ['_internal', 'insights'], {}, { signal }),
    staleTime: 0,
  });
}

/** How far back the log is asked. */
export const unneededDays = 30;

/** The rights that nobody used lately. */
export function unneededRightsQuery({ environment }: Place) {
  return queryOptions({
    queryKey: ['rights', environment, 'unneeded'],
    queryFn: ({ signal }) =>
      ask<SuggestedRights>(`/api/rights/suggestion?days=${unneededDays}`, {
        headers: { 'service-environment': environment },
        signal,
      }),
    staleTime: 60_000,
  });
}
