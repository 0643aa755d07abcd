import type { CallToolResult } from '@modelcontextprotocol/server';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { CallToCarryOut } from './reported-call.ts';
import type { ToolOutput } from './tool.ts';
import { toolSuccess } from './tool-result.ts';

/**
 * Answer a read, and have the platform know before what the client reads in it. `undefined` for more records than a session may be given that has
 * read what people outside can write. Rejects with `MCP_MARK_UNAVAILABLE` where the answer holds such text and the platform cannot be told.
 */
export async function giveRead(received: CallToCarryOut, output: ToolOutput): Promise<CallToolResult | undefined> {
  const { isBeyond, isMarked } = await tell(received, output, false);
  return isBeyond ? undefined : shaped(received, output, isMarked);
}

/** The same where nothing bounds the answer: the person has agreed to it, or it says what a write would do. */
export async function giveAgreed(received: CallToCarryOut, output: ToolOutput): Promise<CallToolResult> {
  const { isMarked } = await tell(received, output, true);
  return shaped(received, output, isMarked || received.consent !== undefined);
}

/**
 * The same for what was done already. It is answered in any case, so that nobody does it again; where the platform cannot be told, without
 * the words of the answer.
 */
export async function giveDone(received: CallToCarryOut, output: ToolOutput): Promise<CallToolResult> {
  try {
    return await giveAgreed(received, output);
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'MCP_MARK_UNAVAILABLE') throw error;
    return toolSuccess({ status: output['status'], notes: [withoutWords] }, received.random.uuid());
  }
}

const withoutWords =
  'It was done. The rest of the answer is left out, because the platform could not be told what is in it.';

/** Before a failure is answered: the words of a refusal are those of code. Rejects with `MCP_MARK_UNAVAILABLE`. */
export async function giveFailure({ call, session, safeguards }: CallToCarryOut, error: unknown): Promise<void> {
  if (!isCloudError(error) || error.kind === 'platform' || error.cause === undefined) return;
  await safeguards.marks.give(session, { records: 0, ...call.seen.readsIn({ holdsWordsOfCode: true }) }, true);
}

function tell({ order, call, session, safeguards }: CallToCarryOut, output: ToolOutput, isAgreed: boolean) {
  const seen = call.seen.readsIn({ holdsWordsOfCode: order.holdsWordsOfCode(output) });
  return safeguards.marks.give(session, { records: order.recordsIn(output), ...seen }, isAgreed);
}

function shaped({ order, call, random }: CallToCarryOut, output: ToolOutput, isMarked: boolean): CallToolResult {
  const shown = isMarked ? order.withoutAddresses(output) : output;
  const result = toolSuccess(
    shown,
    random.uuid(),
    call.seen.pathsIn({ holdsWordsOfCode: order.holdsWordsOfCode(output) }),
  );
  return order.hasFailed(output) ? { ...result, isError: true } : result;
}
