import type { CallToolResult } from '@modelcontextprotocol/server';
import { isCloudError } from '#kernel/errors/cloud-error';
import { everyText, type SeenText } from '../marks/seen-text.ts';
import type { CallToCarryOut } from './reported-call.ts';
import type { ToolOutput } from './tool.ts';
import { holdsUntrusted, toolSuccess } from './tool-result.ts';

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

/** An answer that was kept. Its text leaves again, perhaps after the person has cleared the mark. */
export async function giveAgain(
  { order, session, safeguards }: CallToCarryOut,
  kept: CallToolResult,
): Promise<CallToolResult> {
  if (holdsUntrusted(kept)) {
    const read = { collection: order.act.collection ?? '', recordId: null, field: everyText };
    await safeguards.marks.give(session, { records: 0, reads: [read], readCount: 1 }, true);
  }
  return kept;
}

/** Before a failure is answered. Rejects with `MCP_MARK_UNAVAILABLE`. */
export async function giveFailure({ call, session, safeguards }: CallToCarryOut, error: unknown): Promise<void> {
  const seen = readsInFailure(call.seen, error);
  await safeguards.marks.give(session, { records: 0, ...seen }, true);
}

/** What a failure says of such text: the words of a refusal are those of code, which may have read it. */
export function readsInFailure(seen: SeenText, error: unknown): ReturnType<SeenText['readsIn']> {
  const isSaidByCode = isCloudError(error) && error.kind !== 'platform' && error.cause !== undefined;
  return isSaidByCode ? seen.readsIn({ holdsWordsOfCode: true }) : { reads: [], readCount: 0 };
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
