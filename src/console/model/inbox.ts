import { queryOptions } from '@tanstack/react-query';
import type { Inbox } from '#contracts/notes';
import { type AgentAddress, askAgent } from '../wire/agent.ts';

/** The notes that concern the person. */
export function inboxQuery(agent: AgentAddress) {
  return queryOptions({
    queryKey: ['notes', agent.environment, 'inbox'],
    queryFn: async ({ signal }) => (await askAgent<Inbox>(agent, ['_internal', 'notes'], {}, { signal })).notes,
    staleTime: 60_000,
  });
}
