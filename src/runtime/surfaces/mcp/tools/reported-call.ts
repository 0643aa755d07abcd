import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Act, ActRequest, EndAct } from '../../../activity/act-reporter.ts';
import type { CallToCarryOut } from './call-to-carry-out.ts';
import type { ToolCall } from './tool.ts';

/** Carry out an order, and report it with its outcome. */
export function reported(
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
export function reportedAsRead<Result>(
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
