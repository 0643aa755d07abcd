import { finished, Readable } from 'node:stream';
import { activityTypes } from '#contracts/activity';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { ActivityOutbox } from '../../activity/activity-outbox.ts';
import { findCollection } from '../../model/collection-named.ts';
import type { Route, RouteAnswer, RouteCall } from './call/route.ts';

/** The caller and the id of a request. */
interface CallFacts {
  readonly method: string;
  readonly requestId: string;
  /** `undefined` on a public route. */
  readonly claims: AgentTokenClaims | undefined;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

const lowestErrorStatus = 400;

/**
 * Carry out a call and have the outbox told of it, where its route is one that is reported. An export has succeeded once
 * it was sent to its end; a write, whatever becomes of its answer.
 *
 * @throws `ACTIVITY_NOT_RECORDED` before anything is done, for a write that must be recorded and cannot.
 */
export async function answerReported(
  route: Route,
  call: RouteCall,
  outbox: ActivityOutbox | undefined,
  { method, requestId, claims, signal }: CallFacts,
): Promise<RouteAnswer> {
  const { activity } = route;
  const collection = activity && findCollection(call.state.model, call.params['collection']);
  // A HEAD request shows no record.
  if (!outbox || !activity || !collection || !claims || method === 'HEAD') return route.answer(call);
  const action = typeof activity.action === 'function' ? activity.action(call) : activity.action;
  const named = activity.recordIds?.(call);
  const begun = outbox.begin({
    action,
    label: activity.label?.(call),
    collection: collection.name,
    recordIds: named instanceof Promise ? await named : named,
    userId: claims.id,
    renderingId: claims.renderingId,
    correlationId: requestId,
  });
  const note = begun instanceof Promise ? await begun : begun;
  try {
    const answer = await route.answer(call);
    const end = () => note(answer.status < lowestErrorStatus ? 'completed' : 'failed', answer.recordIds);
    if (answer.body instanceof Readable && activityTypes[action] === 'read') {
      whenSent(answer.body, signal, (isWhole) => (isWhole ? end() : note('failed')));
    } else end();
    return answer;
  } catch (error) {
    note('failed');
    throw error;
  }
}

/** Calls `tell` once. A reader may notice late that its client has gone. */
function whenSent(body: Readable, signal: AbortSignal, tell: (isWhole: boolean) => void): void {
  const stopWatching = finished(body, (error) => end(!error));
  const end = (isWhole: boolean) => {
    stopWatching();
    signal.removeEventListener('abort', onAbort);
    tell(isWhole);
  };
  const onAbort = () => end(false);
  signal.addEventListener('abort', onAbort, { once: true });
}
