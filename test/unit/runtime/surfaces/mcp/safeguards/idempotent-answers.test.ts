import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createFirstUses } from '#runtime/surfaces/mcp/safeguards/first-use';
import { answerKey, createIdempotentAnswers } from '#runtime/surfaces/mcp/safeguards/idempotent-answers';
import { spendOnce } from '../../../../../helpers/shop-agent.ts';

const subject = { userId: 7, clientId: 'claude', tool: 'create', given: { attributes: { name: 'Ada' } } };
const key = answerKey(subject, 'k');

function createProcess(spendApproval = spendOnce()) {
  return createIdempotentAnswers<string>(createFirstUses({ spendApproval }, systemRandom), systemClock);
}

const refused = cloudError('REQUEST_INVALID', 'no', 'x');
const unknown = cloudError('DATABASE_UNREACHABLE', 'no', 'x');

describe('kept answers', () => {
  it('a key gets its first answer, also while the call is carried out', async () => {
    const answers = createProcess();
    let runs = 0;
    const run = async () => `answer ${++runs}`;
    const both = await Promise.all([answers.once(key, run), answers.once(key, run)]);
    expect([...both, await answers.find(key)]).toEqual(['answer 1', 'answer 1', 'answer 1']);
  });

  it('a key is that of one person, client and tool', () => {
    const others = [{ userId: 8 }, { clientId: 'other' }, { tool: 'executeAction' }];
    const ids = [subject, ...others.map((change) => ({ ...subject, ...change }))].map((one) => answerKey(one, 'k').id);
    expect(new Set(ids).size).toBe(4);
  });

  it('a key with other arguments is refused', async () => {
    const answers = createProcess();
    await answers.once(key, async () => 'first');
    const other = answerKey({ ...subject, given: {} }, 'k');
    expect(() => answers.find(other)).toThrow(expect.objectContaining({ code: 'REQUEST_CONFLICT' }));
  });

  it('a key that another process has used is refused, and nothing runs', async () => {
    const shared = spendOnce();
    await createProcess(shared).once(key, async () => 'first');
    let runs = 0;
    const again = createProcess(shared).once(key, async () => `answer ${++runs}`);
    await expect(again).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    expect(runs).toBe(0);
  });

  it('a refusal is not kept, and an error that says nothing about what was done is', async () => {
    const answers = createProcess();
    await expect(answers.once(key, () => Promise.reject(refused))).rejects.toBe(refused);
    expect(answers.find(key)).toBeUndefined();
    await expect(answers.once(key, () => Promise.reject(unknown))).rejects.toBe(unknown);
    await expect(answers.once(key, async () => 'second')).rejects.toBe(unknown);
  });

  it('a call is not made while the platform cannot be asked, and may be made later', async () => {
    const spend = spendOnce();
    const platform = { isDown: true };
    const answers = createProcess(async (spending) => {
      if (platform.isDown) throw new TypeError('down');
      return spend(spending);
    });
    await expect(answers.once(key, async () => 'x')).rejects.toMatchObject({ code: 'MCP_FIRST_USE_UNKNOWN' });
    platform.isDown = false;
    expect(await answers.once(key, async () => 'x')).toBe('x');
  });
});
