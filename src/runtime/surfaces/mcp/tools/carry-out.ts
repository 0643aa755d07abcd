import { type CallToolResult, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { Act, ActReporter, ActRequest, EndAct } from '../../../activity/act-reporter.ts';
import type { CallSubject } from '../safeguards/call-subject.ts';
import { declined, type OpenConfirmation } from '../safeguards/confirmations.ts';
import { answerKey } from '../safeguards/kept-answers.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { Preview } from './preview.ts';
import { visibleJson } from './text-form.ts';
import type { Prepared, ToolCall, ToolOrder } from './tool.ts';

/** The answer to a call: its result, or a question that the client puts to the person. */
export type ToolAnswer = CallToolResult | InputRequiredResult;

/** What a client can ask the person, and what the person has said to the question before. */
export interface Dialogue {
  /** Whether the client can ask. */
  readonly canAsk: boolean;
  /** The confirmation that the client was given with the question; `undefined` where there was none. */
  readonly confirmation: string | undefined;
  readonly reply: 'yes' | 'no' | undefined;
}

/** A call, and all that carrying it out needs. */
export interface CallToCarryOut {
  readonly tool: string;
  readonly order: ToolOrder;
  readonly call: ToolCall;
  readonly clientId: string;
  readonly dialogue: Dialogue;
  readonly reporter: ActReporter;
  readonly safeguards: Safeguards;
  /** Shapes an answer. */
  answered(output: Readonly<Record<string, unknown>>): CallToolResult;
}

/** The name of the question to the person, and of the answer to it. */
export const questionName = 'confirm';

/**
 * Carry out a call: a dry run is answered with what would be done, a key that was used before with its answer, and a call that
 * nobody has confirmed yet with a question. Whatever writes is reported before it is done; looking is reported as a read.
 */
export async function carryOut(received: CallToCarryOut): Promise<ToolAnswer> {
  const { tool, order, call, clientId, safeguards } = received;
  const { tryOut, prepare, idempotencyKey } = order;
  if (tryOut) return received.answered(await reportedAsRead(received, tryOut));
  const subject: CallSubject = { userId: call.claims.id, clientId, tool, given: order.given };
  const key = idempotencyKey === undefined ? undefined : answerKey(subject, idempotencyKey);
  const kept = key && safeguards.answers.find(key);
  if (kept) return kept;
  if (!prepare) return keyed(() => reported(received, order.run));
  const confirmation = await confirmationOf(received, subject);
  if (!confirmation) return ask(received, subject, prepare);
  return keyed(() =>
    reported(received, async (inside) => {
      const prepared = await prepare(inside);
      if ('answer' in prepared) return prepared.answer;
      await confirmation.redeem(prepared.preview);
      return order.run(inside);
    }),
  );

  function keyed(run: () => Promise<CallToolResult>): Promise<CallToolResult> {
    return key ? safeguards.answers.once(key, run) : run();
  }
}

/** `undefined` where nobody was asked, or the client has not said what the person answered. Throws `MCP_CONFIRMATION_…`. */
async function confirmationOf(
  { order, dialogue, safeguards: { confirmations } }: CallToCarryOut,
  subject: CallSubject,
): Promise<OpenConfirmation | undefined> {
  const { confirmation, reply } = dialogue;
  if (confirmation !== undefined && reply !== undefined) {
    const opened = await confirmations.open(confirmation, { subject, by: 'person' });
    if (reply === 'no') throw declined();
    return opened;
  }
  const token = order.confirmationToken;
  return token === undefined ? undefined : confirmations.open(token, { subject, by: 'caller' });
}

/** Have the call confirmed: by the person where the client can ask, else by a second call. */
async function ask(
  received: CallToCarryOut,
  subject: CallSubject,
  prepare: NonNullable<ToolOrder['prepare']>,
): Promise<ToolAnswer> {
  const { dialogue, safeguards } = received;
  const prepared: Prepared<Readonly<Record<string, unknown>>> = await reportedAsRead(received, prepare);
  if ('answer' in prepared) return received.answered(prepared.answer);
  const { preview } = prepared;
  const by = dialogue.canAsk ? 'person' : 'caller';
  const { token, expiresAt } = await safeguards.confirmations.make({ subject, by }, preview);
  if (dialogue.canAsk) {
    return inputRequired({ inputRequests: { [questionName]: question(preview) }, requestState: token });
  }
  const message = `${preview.message} Ask the person. When they agree, make the same call with this confirmationToken.`;
  return received.answered({
    ...preview,
    status: 'confirmation_required',
    message,
    confirmationToken: token,
    expiresAt,
  });
}

function question({ message, count, sample }: Preview) {
  const records = sample.map(({ id, label }) =>
    label === undefined ? visibleJson(id) : visibleJson(`${id}: ${label}`),
  );
  const more = count > sample.length && sample.length > 0 ? ', …' : '';
  const list = records.length > 0 ? ` (${records.join(', ')}${more})` : '';
  return inputRequired.elicit({
    message: `${message}${list}`,
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Do it' } },
      required: ['confirm'],
    },
  });
}

/** Carry out an order, and report it with its outcome. */
function reported(
  { order, call, reporter, answered }: CallToCarryOut,
  run: (call: ToolCall) => Promise<Readonly<Record<string, unknown>>>,
): Promise<CallToolResult> {
  const by = requestOf(call);
  const answer = async (notes: ToolCall['notes']): Promise<CallToolResult> => {
    const output = await run({ ...call, notes });
    return order.hasFailed(output) ? { ...answered(output), isError: true } : answered(output);
  };
  const conclude = ({ isError }: CallToolResult, end: EndAct) => end({ status: isError ? 'failed' : 'completed' });
  const far = order.farAct(call.state.model);
  if (!far) return reporter.carryOut(order.act, by, answer, conclude);
  return reporter.carryOut(
    far,
    by,
    (notes) => reporter.carryOut(order.act, by, () => answer(notes), conclude),
    conclude,
  );
}

/** Look at the records of an order. */
function reportedAsRead<Result>(
  { order, call, reporter }: CallToCarryOut,
  look: (call: ToolCall) => Promise<Result>,
): Promise<Result> {
  const { action, recordIds = [], ...act } = order.act;
  const read: Act = { ...act, action: 'read', recordIds };
  return reporter.carryOut(read, requestOf(call), () => look(call));
}

function requestOf({ state, claims, requestId }: ToolCall): ActRequest {
  return { source: 'mcp', claims, correlationId: requestId, model: state.model };
}
