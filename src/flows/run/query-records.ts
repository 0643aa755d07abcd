import * as z from 'zod';
import type { FlowContext } from '../flow-context.ts';
import {
  type AgentCall,
  type AgentClient,
  agentErrorOf,
  capabilitiesOf,
  jsonOf,
  segmentOf,
  unknownCollection,
} from './agent-client.ts';
import { type AgentOfProject, withAgent } from './agent-of-project.ts';
import { filterCondition } from './filter-condition.ts';
import { fieldsOf, type RunRecord, recordsAlone, recordsOf } from './json-api-records.ts';

/** Which records of a collection. */
export interface RecordQuestion extends AgentOfProject {
  readonly collection: string;
  /** See `filterCondition`. */
  readonly filters: readonly string[];
  readonly search?: string | undefined;
  readonly segment?: string | undefined;
}

export interface ListQuestion extends RecordQuestion {
  /** Fields to show, `relation:field` too. None for those of the collection. */
  readonly fields: readonly string[];
  /** Fields to sort by, a dash before those that descend. */
  readonly sort?: string | undefined;
  readonly page: { readonly size: number; readonly number: number };
}

export interface ListedRecords {
  readonly collection: string;
  readonly page: ListQuestion['page'];
  /** The fields that were asked for; none for those of the collection. */
  readonly fields: readonly string[];
  readonly records: readonly RunRecord[];
}

/** A page of records, as the person of the question sees them. */
export function listRecords(context: FlowContext, question: ListQuestion): Promise<ListedRecords> {
  const { collection, fields, sort, page } = question;
  return withAgent(context, question, async (agent) => {
    const answer = await askCollection(agent, collection, {
      path: `/${segmentOf(collection)}`,
      query: {
        ...(await selectionOf(agent, question)),
        sort: sort?.replaceAll(':', '.'),
        'page[size]': String(page.size),
        'page[number]': String(page.number),
      },
      ...(fields.length > 0 ? { headers: { 'service-projection': fields.join(', ') } } : {}),
    });
    if (fields.length === 0) return { collection, page, fields, records: recordsAlone(answer) };
    return { collection, page, fields, records: recordsOf(answer).map((record) => fieldsOf(record, fields)) };
  });
}

const countSchema = z.union([
  z.object({ count: z.number() }).transform(({ count }) => count),
  z.object({ meta: z.object({ count: z.literal('deactivated') }) }).transform(() => null),
]);

export interface CountedRecords {
  readonly collection: string;
  /** `null` where counting is switched off. */
  readonly count: number | null;
}

/** How many records there are. */
export function countRecords(context: FlowContext, question: RecordQuestion): Promise<CountedRecords> {
  const { collection } = question;
  return withAgent(context, question, async (agent) => {
    const query = await selectionOf(agent, question);
    const answer = await askCollection(agent, collection, { path: `/${segmentOf(collection)}/count`, query });
    return { collection, count: countSchema.parse(answer) };
  });
}

/** The JSON of a success. An agent that has no such collection, and none with a name that is near, answers 404 without a word. */
async function askCollection(
  agent: AgentClient,
  collection: string,
  call: Omit<AgentCall, 'method'>,
): Promise<unknown> {
  const response = await agent.send({ ...call, method: 'GET' });
  if (response.status < 400) return jsonOf(response);
  const refusal = agentErrorOf(response);
  throw response.status === 404 && refusal.code === 'AGENT_REFUSED' ? unknownCollection(collection) : refusal;
}

async function selectionOf(agent: AgentClient, { collection, filters, search, segment, timezone }: RecordQuestion) {
  const capabilities = (await capabilitiesOf(agent, collection)) ?? { name: collection, fields: [], actions: [] };
  return { timezone, filters: filterCondition(filters, capabilities, timezone), search, segment };
}
