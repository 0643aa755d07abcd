import { describe, expect, it } from 'vitest';
import { confirmClearedMark, decideAsk } from '#cli/asking/confirm-mcp';
import type { Asking } from '#cli/invocation/cli-context';
import type { ListedAsk, ListedMark } from '#contracts/mcp-marks';

const ask: ListedAsk = {
  id: '5b0e9c1e-7c0b-4c55-9d0e-1f7f3f3b2a10',
  tool: 'update',
  preview: {
    message: 'Change a record of "orders".',
    count: 1,
    sample: [{ id: '2' }],
    details: [{ name: 'status', value: 'paid\u001b[2J' }],
  },
  answer: null,
  expiresAt: '2026-11-28T04:10:00.000Z',
};
const mark: ListedMark = {
  id: 3,
  environment: 'development',
  client: 'https://assistant.test/client.json',
  clientName: 'Assistant',
  personId: 7,
  markedAt: '2026-11-28T04:00:00.000Z',
  reads: [{ collection: 'messages', recordId: '1', field: 'body', readAt: '2026-11-28T04:00:00.000Z' }],
  readCount: 4,
  records: 0,
  asks: [ask],
};

function asking(isInteractive: boolean, answer = true) {
  const notes: string[] = [];
  const unasked = () => Promise.reject(new TypeError('Nobody is asked for more than yes or no.'));
  const prompts: Asking['prompts'] = {
    confirm: async () => answer,
    text: unasked,
    secret: unasked,
    choose: unasked,
    chooseSeveral: unasked,
  };
  return { asking: { isInteractive, prompts }, terminal: { note: (line: string) => void notes.push(line) }, notes };
}

describe('an answer to an assistant', () => {
  it('comes from whoever has seen what it wants and what it has read', async () => {
    const { asking: asked, terminal, notes } = asking(true, false);
    expect(await decideAsk(asked, terminal)(ask, mark)).toBe('no');
    expect(notes).toEqual([
      '"Assistant" has read since 2026-11-28T04:00:00.000Z: messages 1 (body) and 3 more',
      expect.stringMatching(/^Change a record of "orders"\. Records: 2\. status = paid/),
    ]);
    expect(notes.join('')).not.toContain('\u001b');
    expect(await decideAsk(asking(true).asking, terminal)(ask, mark)).toBe('yes');
    expect(await confirmClearedMark(asking(true).asking, terminal)(mark)).toBe(true);
  });

  it('comes from nobody without a terminal', async () => {
    const { asking: asked, terminal } = asking(false);
    const refusal = { code: 'USAGE_INVALID', message: expect.stringContaining('there is none') };
    await expect(decideAsk(asked, terminal)(ask, mark)).rejects.toMatchObject(refusal);
    await expect(confirmClearedMark(asked, terminal)(mark)).rejects.toMatchObject(refusal);
  });
});
