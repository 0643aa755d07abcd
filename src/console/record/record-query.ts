import { queryOptions } from '@tanstack/react-query';
import { columnsOf, projectionOf, type VisibleCollection } from '../model/schema.ts';
import type { AgentAddress } from '../wire/agent.ts';
import { getRecord, projection } from '../wire/records.ts';

/** A record with every column that the person may see. */
export function recordQuery(agent: AgentAddress, collection: VisibleCollection, id: string) {
  return queryOptions({
    queryKey: ['record', agent.environment, collection.name, id],
    queryFn: ({ signal }) =>
      getRecord(agent, collection.name, id, {
        signal,
        headers: projection(projectionOf(collection, columnsOf(collection))),
        parameters: { deleted: collection.hasSoftDeletes ? 'with' : undefined },
      }),
  });
}
