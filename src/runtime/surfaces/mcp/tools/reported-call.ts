import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import type { ToolName } from '#contracts/mcp';
import type { McpSession } from '#contracts/mcp-marks';
import type { Random } from '#kernel/ports/random';
import type { Act, ActReporter, ActRequest, EndAct } from '../../../activity/act-reporter.ts';
import type { Safeguards } from '../safeguards/safeguards.ts';
import type { ToolCall, ToolOrder } from './tool.ts';

/** Carry out an order, and report it with its outcome. */
export function reported(
  { tool, order, call, reporter, consent }: CallToCarryOut,
  run: (call: ToolCall) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const by = { ...requestOf(call, tool), ...(consent === undefined ? {} : { consent }) };
  const answer = (notes: ToolCall['notes']) => run({ ...call, notes });
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
export function reportedAsRead<Result>(
  { tool, order, call, reporter }: CallToCarryOut,
  look: (call: ToolCall) => Promise<Result>,
): Promise<Result> {
  const { action, recordIds = [], ...act } = order.act;
  const read: Act = { ...act, action: 'read', recordIds };
  return reporter.carryOut(read, requestOf(call, tool), () => look(call));
}

function requestOf({ state, claims, requestId }: ToolCall, tool: ToolName): ActRequest {
  return { source: 'mcp', tool, claims, correlationId: requestId, model: state.model };
}

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
  readonly tool: ToolName;
  readonly isReading: boolean;
  readonly order: ToolOrder;
  readonly call: ToolCall;
  readonly session: McpSession;
  readonly dialogue: Dialogue;
  readonly reporter: ActReporter;
  readonly safeguards: Safeguards;
  readonly random: Random;
  /** Where the person of a marked session has agreed. */
  readonly consent?: ActRequest['consent'];
}
