import { createKeyedTaskQueue } from '#kernel/async/task-queue';
import { requireKey } from '../../../model/record-id.ts';
import type { ExplainedPermissions, Verdict } from '../../../permissions/explained-permissions.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import { toldScope } from '../../../records/read/record-filter.ts';
import type { ExplainedQuery } from '../../../records/request/explain-query.ts';
import { lookupInQuery, parseRecordSelection } from '../../request/query-parameters.ts';
import { startDeadline } from '../../request/request-limits.ts';
import type { Route } from '../call/route.ts';
import {
  contextWithDeleted,
  parsePage,
  parseProjection,
  parseSort,
  projectionHeader,
} from '../parse/list-parameters.ts';

/** Explaining asks the database for a plan, and for keys of related records. */
const longestMs = 5_000;

const inTurn = createKeyedTaskQueue<number>();

/** How a list would be carried out for the caller, scope included. Those of one person take turns. */
export const explainRoute: Route = {
  method: 'GET',
  path: '/_internal/explain/:collection',
  answer: async (call) => {
    const { query, headers, state } = call;
    const collection = call.collection();
    const context = contextWithDeleted(call.context(), collection, query);
    const lookup = lookupInQuery(query);
    const read = () => {
      requireKey(collection);
      return {
        ...parseRecordSelection(state.model, collection, lookup),
        projection: parseProjection(collection, query, projectionHeader(headers)),
        sort: parseSort(collection, lookup('sort')),
        page: parsePage(lookup),
      };
    };
    const explained = await inTurn(context.caller.id, () =>
      withinTime(context, (timed) => state.recordService.explain({ collection: collection.name, read }, timed)),
    );
    const { permissionLevel } = context.caller;
    const mayKnow = (permissionLevel === 'admin' || permissionLevel === 'developer') && !state.model.whole;
    return { status: 200, body: mayKnow ? explained : forEverybody(explained) };
  },
};

/** What the caller may do with a collection, and why: after a refusal. `action` is the end of an action's path. It asks the platform each time. */
export const explainRightsRoute: Route = {
  method: 'GET',
  path: '/_internal/explain-rights/:collection',
  answer: async (call) => {
    const { caller } = call.context('UTC');
    const { state } = call;
    const collection = call.collection();
    const explained = await inTurn(caller.id, () => call.explainRights(collection.name));
    const { permissionLevel } = explained.user;
    if (permissionLevel === 'admin' || permissionLevel === 'developer') return { status: 200, body: explained };
    const asked = collection.actions.get(String(call.query['action'] ?? '').toLowerCase())?.name;
    const shown = await state.authoriser.rightsOf(caller);
    const isNamed = (action: string) => action === asked || shown.mayTrigger(collection.name, action);
    const scope = scopeFor(
      explained,
      await toldScope(state.model, state.authoriser, caller, collection.name, 'browse'),
    );
    return { status: 200, body: { ...verdictsIn(explained, isNamed), scope } };
  },
};

/** Whether a scope counts, and what it asks for where the caller may know that. */
function scopeFor({ scope }: ExplainedPermissions, told: string | undefined) {
  if ('unknownBecause' in scope || !scope.isAllowed) return scope;
  const { isAllowed, because, condition } = scope;
  return { isAllowed, because, condition: told ?? null, ...(condition !== null && !told ? { isUntold: true } : {}) };
}

/**
 * Conditions hold values that not everybody may know. Restricted fields, and actions that the caller may not run, have names that not
 * everybody may know.
 */
function verdictsIn({ collection, user, rights, actions }: ExplainedPermissions, isNamed: (action: string) => boolean) {
  const verdict = ({ isAllowed, because }: Verdict) => ({ isAllowed, because });
  const named = actions.filter(({ action }) => isNamed(action));
  return {
    user: { role: user.role, roles: user.roles, teams: user.teams, permissionLevel: user.permissionLevel },
    collection,
    rights: rights.map(({ right, ...rest }) => ({ right, ...verdict(rest) })),
    actions: named.map(({ action, trigger, needsApproval }) => ({ action, trigger: verdict(trigger), needsApproval })),
  };
}

async function withinTime<Result>(
  context: CallContext,
  work: (context: CallContext) => Promise<Result>,
): Promise<Result> {
  const late = new AbortController();
  const deadline = startDeadline(longestMs, () => late.abort());
  const signal = AbortSignal.any([late.signal, ...(context.signal ? [context.signal] : [])]);
  try {
    return await deadline.before(work({ ...context, signal }));
  } finally {
    deadline.end();
  }
}

const inWords = { database: 'The database does this part.', agent: 'The agent does this part.' } as const;

/** Steps name columns that nobody sees, or that the caller may not see, and the values of scopes. Where a part is done, and its bound, are for everybody. */
function forEverybody({ collection, steps }: ExplainedQuery): ExplainedQuery {
  return {
    collection,
    steps: steps.map(({ place, bound }) => ({ place, what: inWords[place], ...(bound ? { bound } : {}) })),
  };
}
