import { describe, expect, it } from 'vitest';
import { shareAnswers } from '#kernel/async/shared-answers';

/** Questions that are answered when the test says so. */
function heldQuestions() {
  const held: { key: string; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const ask = (key: string) =>
    new Promise<string>((resolve, reject) => held.push({ key, answer: resolve, fail: reject }));
  return { ask, held };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('shared answers', () => {
  it('ask again for whoever comes while a question is under way, once for all of them', async () => {
    const { ask, held } = heldQuestions();
    const find = shareAnswers(ask);
    const answers = ['a', 'a', 'a'].map(find);
    expect(held).toHaveLength(1);
    held[0]?.answer('before');
    await turn();
    expect(held).toHaveLength(2);
    const late = find('a');
    held[1]?.answer('after');
    await turn();
    held[2]?.answer('latest');
    expect(await Promise.all([...answers, late])).toEqual(['before', 'after', 'after', 'latest']);
  });

  it('keep questions about different things apart, and begin again when all is answered', async () => {
    const { ask, held } = heldQuestions();
    const find = shareAnswers(ask);
    const answers = [find('a'), find('b')];
    for (const { key, answer } of held) answer(key);
    expect(await Promise.all(answers)).toEqual(['a', 'b']);
    await turn();
    const again = find('a');
    held[2]?.answer('again');
    expect(await again).toBe('again');
  });

  it('reject for those who shared the question, and for no other', async () => {
    const { ask, held } = heldQuestions();
    const find = shareAnswers(ask);
    const [first, second] = [find('a'), find('a')];
    held[0]?.fail(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await turn();
    held[1]?.answer('there');
    expect(await second).toBe('there');
  });
});
