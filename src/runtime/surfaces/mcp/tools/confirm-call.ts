import { inputRequired } from '@modelcontextprotocol/server';
import { visibleJson } from '../render/answer-text.ts';
import { declined, type OpenConfirmation } from '../safeguards/confirmations.ts';
import type { CallSubject } from '../safeguards/first-use.ts';
import { giveAgreed } from './give-answer.ts';
import type { Preview } from './preview.ts';
import { type CallToCarryOut, reported, reportedAsRead, type ToolAnswer } from './reported-call.ts';
import type { Prepared, ToolOrder } from './tool.ts';

/** The name of the question to the person, and of the answer to it. */
export const questionName = 'confirm';

/**
 * `undefined` where nobody was asked, or the client has not said what the person answered. A call that the person has declined is
 * reported as one that failed. Throws `MCP_CONFIRMATION_…`.
 */
export async function confirmationOf(
  received: CallToCarryOut,
  subject: CallSubject,
): Promise<OpenConfirmation | undefined> {
  const { order, dialogue, safeguards } = received;
  const { confirmations } = safeguards;
  const { confirmation, reply } = dialogue;
  if (confirmation !== undefined && reply !== undefined) {
    const opened = await confirmations.open(confirmation, { subject, by: 'person' });
    if (reply === 'no') await reported(received, () => Promise.reject(declined()));
    return opened;
  }
  const token = order.confirmationToken;
  return token === undefined ? undefined : confirmations.open(token, { subject, by: 'caller' });
}

/** Have the call confirmed: by the person where the client can ask, else by a second call. */
export async function askForConfirmation(
  received: CallToCarryOut,
  subject: CallSubject,
  prepare: NonNullable<ToolOrder['prepare']>,
): Promise<ToolAnswer> {
  const { dialogue, safeguards } = received;
  const prepared: Prepared<Readonly<Record<string, unknown>>> = await reportedAsRead(received, prepare);
  if ('answer' in prepared) return giveAgreed(received, prepared.answer);
  const { preview } = prepared;
  const by = dialogue.canAsk ? 'person' : 'caller';
  const { token, expiresAt } = await safeguards.confirmations.make({ subject, by }, preview);
  if (dialogue.canAsk) {
    return inputRequired({ inputRequests: { [questionName]: question(preview) }, requestState: token });
  }
  const message = `${preview.message} Ask the person. When they agree, make the same call with this confirmationToken.`;
  return giveAgreed(received, {
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
