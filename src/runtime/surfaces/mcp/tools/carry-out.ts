import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallSubject } from '../safeguards/call-subject.ts';
import { answerKey } from '../safeguards/kept-answers.ts';
import type { CallToCarryOut, ToolAnswer } from './call-to-carry-out.ts';
import { askForConfirmation, confirmationOf } from './confirm-call.ts';
import { reported, reportedAsRead } from './reported-call.ts';

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
  if (!confirmation) return askForConfirmation(received, subject, prepare);
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
