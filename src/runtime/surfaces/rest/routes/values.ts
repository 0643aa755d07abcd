import { createKeyedTaskQueue } from '#kernel/async/task-queue';
import { invalidRequest, unprocessableRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, columnOf, isValueField, type ValueField } from '../../../model/compiled-model.ts';
import { useField } from '../../../model/field-path.ts';
import type { ConditionTree } from '../../../query/condition-tree.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { AgentState } from '../../request/agent-state.ts';
import type { QueryParameters } from '../../request/query-parameters.ts';
import type { Route } from '../call/route.ts';

const mostValues = 20;
const longestSearch = 256;
const keptMs = 60_000;
const mostKept = 1_000;

interface CountedValue {
  readonly value: unknown;
  readonly count: unknown;
}

interface ValueQuestion {
  readonly collection: CompiledCollection;
  readonly field: ValueField;
  readonly where: ConditionTree;
}

const inTurn = createKeyedTaskQueue<number>();

/** The values of a field in the records that the caller may read, the most frequent first. Those of one person take turns. */
export const valuesRoute: Route = {
  method: 'GET',
  path: '/_internal/values/:collection',
  answer: async (call) => {
    const { query, state } = call;
    const collection = call.collection();
    const context = call.context();
    const { caller } = context;
    // Kept answers need the rights of now.
    await state.authoriser.require(caller, collection.name, 'browse');
    await state.authoriser.require(caller, collection.name, 'read');
    const question = readQuestion(collection, query);
    const values = await inTurn(caller.id, () => valuesFor(state, question, context));
    return { status: 200, body: { values } };
  },
};

function readQuestion(
  collection: CompiledCollection,
  { field: name = '', search = '' }: QueryParameters,
): ValueQuestion {
  const field = collection.fields.get(name);
  if (!field || !isValueField(field)) {
    throw invalidRequest(`"field" names no field of "${collection.name}".`, useField(collection, name));
  }
  if (search.length > longestSearch) {
    throw invalidRequest(`The search has more than ${longestSearch} characters.`, 'Search for less.');
  }
  const isThere = { field: name, operator: 'Present' } as const;
  const wanted = search.trim() === '' ? [] : [searchCondition(field, search.trim())];
  return { collection, field, where: { aggregator: 'And', conditions: [isThere, ...wanted] } };
}

function searchCondition(field: ValueField, search: string): ConditionTree {
  const { operators, enumValues } = columnOf(field);
  if (enumValues && operators.has('In')) {
    const text = search.toLowerCase();
    const value = enumValues.filter((known) => known.toLowerCase().includes(text));
    return { field: field.name, operator: 'In', value };
  }
  const operator = (['IContains', 'Contains'] as const).find((known) => operators.has(known));
  if (operator) return { field: field.name, operator, value: search };
  throw unprocessableRequest(`The values of "${field.name}" cannot be searched.`, 'Leave out "search".');
}

interface KeptValues {
  readonly values: readonly CountedValue[];
  readonly until: number;
}

const kept = new WeakMap<AgentState, Map<string, KeptValues>>();

/** Only columns are kept: what else a field is made of may have scopes of its own. */
async function valuesFor(state: AgentState, question: ValueQuestion, context: CallContext) {
  const { collection, field, where } = question;
  const { caller } = context;
  if (field.kind !== 'column') return countValues(state, question, context);
  const scope = await state.authoriser.scopeOf(caller, collection.name, 'browse');
  const { id, renderingId, timezone } = caller;
  const key = JSON.stringify([id, renderingId, timezone, collection.name, field.name, where, scope ?? null]);
  const known = kept.get(state) ?? new Map<string, KeptValues>();
  kept.set(state, known);
  const found = known.get(key);
  if (found && found.until > performance.now()) return found.values;
  known.delete(key);
  const values = await countValues(state, question, context);
  known.set(key, { values, until: performance.now() + keptMs });
  const [oldest] = known.keys();
  if (known.size > mostKept && oldest !== undefined) known.delete(oldest);
  return values;
}

async function countValues(
  { recordService }: AgentState,
  { collection, field, where }: ValueQuestion,
  context: CallContext,
): Promise<readonly CountedValue[]> {
  const aggregation = { operation: 'Count' as const, groups: [{ field: field.name }] };
  const asked = { collection: collection.name, where, aggregation, limit: mostValues };
  const rows = await recordService.aggregate(asked, context);
  return rows.map(({ value: count, groups: [value] }) => ({ value, count }));
}
