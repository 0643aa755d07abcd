import { finished, Readable } from 'node:stream';
import { activityTypes } from '#contracts/activity';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { ActReporter, ActRequest, EndAct } from '../../activity/act-reporter.ts';
import type { WriteNotes } from '../../records/calls/call-context.ts';
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
 * Carry out a call and report it, where its route says as what. An export has succeeded once it was sent to its end; a write,
 * whatever becomes of its answer.
 *
 * @throws `ACTIVITY_NOT_RECORDED` before anything is done, for a write that must be recorded and cannot.
 */
export async function answerReported(
  route: Route,
  call: RouteCall,
  reporter: ActReporter,
  { method, requestId, claims, signal }: CallFacts,
): Promise<RouteAnswer> {
  const { activity } = route;
  // A HEAD request shows no record.
  if (!activity || !claims || method === 'HEAD') return route.answer(call);
  const by: ActRequest = { source: 'rest', claims, correlationId: requestId, model: call.state.model };
  const action = typeof activity.action === 'function' ? activity.action(call) : activity.action;
  const named = activity.recordIds?.(call);
  const act = {
    action,
    label: activity.label?.(call),
    collection: call.params['collection'],
    recordIds: named instanceof Promise ? await named : named,
  };
  const conclude = (answer: RouteAnswer, end: EndAct) => {
    const tell = () => end({ status: isSuccess(answer) ? 'completed' : 'failed', recordCount: answer.recordCount?.() });
    if (answer.body instanceof Readable && activityTypes[action] === 'read') {
      whenSent(answer.body, signal, (isWhole) => (isWhole ? tell() : end({ status: 'failed' })));
    } else tell();
  };
  const answer = (notes: WriteNotes | undefined) => route.answer(notes ? noting(call, notes) : call);
  const far = activity.farEnd?.(call);
  if (!far) return reporter.carryOut(act, by, answer, conclude);
  return reporter.carryOut(far, by, (notes) => reporter.carryOut(act, by, () => answer(notes), conclude), conclude);
}

function isSuccess({ status }: RouteAnswer): boolean {
  return status < lowestErrorStatus;
}

/** The call, with what its services change taken down. */
function noting(call: RouteCall, notes: WriteNotes): RouteCall {
  return { ...call, context: (defaultTimezone) => ({ ...call.context(defaultTimezone), notes }) };
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
