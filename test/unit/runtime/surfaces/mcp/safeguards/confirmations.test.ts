import { describe, expect, it } from 'vitest';
import { systemRandom } from '#node/system/system-random';
import { type ConfirmationQuestion, createConfirmations } from '#runtime/surfaces/mcp/safeguards/confirmations';
import { createFirstUses } from '#runtime/surfaces/mcp/safeguards/first-use';
import { spendOnce } from '../../../../../helpers/shop-agent.ts';

const question: ConfirmationQuestion = {
  subject: { userId: 7, clientId: 'claude', tool: 'delete', given: { recordIds: [1] } },
  by: 'person',
};
const preview = { message: 'Delete 1 of the records of "orders".', count: 1, sample: [] };
const secret = 'the auth secret of a test, long enough';

/** The confirmations of one process; several share a platform. */
function createProcess(spendApproval = spendOnce(), authSecret = secret) {
  const time = { now: 1_700_000_000_000 };
  const clock = { now: () => time.now, monotonicMs: () => 0 };
  const uses = createFirstUses({ spendApproval }, systemRandom);
  return { time, confirmations: createConfirmations(authSecret, uses, clock, systemRandom) };
}

describe('a confirmation', () => {
  it('holds for ten minutes', async () => {
    const { confirmations, time } = createProcess();
    const { token, expiresAt } = await confirmations.make(question, preview);
    expect(expiresAt).toBe(new Date(time.now + 600_000).toISOString());
    time.now += 599_000;
    await expect(confirmations.open(token, question)).resolves.toBeDefined();
    time.now += 1_000;
    await expect(confirmations.open(token, question)).rejects.toMatchObject({ code: 'MCP_CONFIRMATION_EXPIRED' });
  });

  it.each<[string, Partial<ConfirmationQuestion['subject']>]>([
    ['another person', { userId: 8 }],
    ['another client', { clientId: 'other' }],
    ['another tool', { tool: 'dissociate' }],
    ['other arguments', { given: { recordIds: [1, 2] } }],
  ])('does not hold for %s', async (_case, change) => {
    const { confirmations } = createProcess();
    const { token } = await confirmations.make(question, preview);
    const other = { ...question, subject: { ...question.subject, ...change } };
    await expect(confirmations.open(token, other)).rejects.toMatchObject({ code: 'MCP_CONFIRMATION_INVALID' });
  });

  it('does not hold where another way of confirming was asked for', async () => {
    const { confirmations } = createProcess();
    const { token } = await confirmations.make(question, preview);
    const opening = confirmations.open(token, { ...question, by: 'caller' });
    await expect(opening).rejects.toMatchObject({ code: 'MCP_CONFIRMATION_INVALID' });
  });

  it('does not hold for an agent with another secret', async () => {
    const { token } = await createProcess().confirmations.make(question, preview);
    const { confirmations } = createProcess(spendOnce(), `${secret}!`);
    await expect(confirmations.open(token, question)).rejects.toMatchObject({ code: 'MCP_CONFIRMATION_INVALID' });
  });

  it('is good for one use in all processes of the environment', async () => {
    const shared = spendOnce();
    const [first, second] = [createProcess(shared), createProcess(shared)];
    const { token } = await first.confirmations.make(question, preview);
    await (await first.confirmations.open(token, question)).redeem(preview);
    const again = await second.confirmations.open(token, question);
    await expect(again.redeem(preview)).rejects.toMatchObject({ code: 'MCP_CONFIRMATION_INVALID' });
  });

  it('is not used up by a preview that has changed', async () => {
    const { confirmations } = createProcess();
    const { token } = await confirmations.make(question, preview);
    const opened = await confirmations.open(token, question);
    await expect(opened.redeem({ ...preview, count: 2 })).rejects.toMatchObject({ code: 'MCP_CONFIRMATION_INVALID' });
    await expect(opened.redeem(preview)).resolves.toBeUndefined();
  });

  it('tells neither the person nor the arguments', async () => {
    const { token } = await createProcess().confirmations.make(question, preview);
    const [, payload = ''] = token.split('.');
    expect(Object.keys(JSON.parse(Buffer.from(payload, 'base64url').toString())).sort()).toEqual([
      'exp',
      'jti',
      'of',
      'preview',
    ]);
  });
});
