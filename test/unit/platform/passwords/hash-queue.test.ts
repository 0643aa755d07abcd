import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createHashQueue, type Waiter } from '#platform/passwords/hash-queue';

/** A queue whose work ends when the test says so. */
function startQueue() {
  const queue = createHashQueue();
  const running: { readonly name: string; end(): void }[] = [];
  const ask = (name: string, waiter: Partial<Waiter> = {}) =>
    queue.inTurn(
      { address: name, failures: 0, ...waiter },
      () =>
        new Promise<string>((resolve) => {
          running.push({ name, end: () => resolve(name) });
        }),
    );
  /** End the oldest work; which work runs then. */
  const endOne = async () => {
    running.shift()?.end();
    await setImmediate();
    return running.map(({ name }) => name);
  };
  return { queue, ask, running, endOne, names: () => running.map(({ name }) => name) };
}

describe('the queue of password hashes', () => {
  it('runs two at once, in their order', async () => {
    const { ask, endOne, names } = startQueue();
    const asked = ['a', 'b', 'c', 'd'].map((name) => ask(name));
    expect(names()).toEqual(['a', 'b']);
    expect(await endOne()).toEqual(['b', 'c']);
    expect(await endOne()).toEqual(['c', 'd']);
    await endOne();
    await endOne();
    expect(await Promise.all(asked)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('keeps one of the two for addresses without failures', async () => {
    const { ask, endOne, names } = startQueue();
    for (const name of ['x', 'y', 'z']) ask(name, { failures: 3 }).catch(() => undefined);
    expect(names()).toEqual(['x']);
    void ask('honest');
    expect(names()).toEqual(['x', 'honest']);
    expect(await endOne()).toEqual(['honest', 'y']);
  });

  it('takes an address first from which somebody has signed in', async () => {
    const { queue, ask, endOne } = startQueue();
    queue.hasBehaved('office');
    for (const name of ['a', 'b', 'c', 'd', 'office']) void ask(name);
    expect(await endOne()).toEqual(['b', 'office']);
    expect(await endOne()).toEqual(['office', 'c']);
  });

  it('refuses who waits last and behaves worst once 64 wait, and more than eight of one address', async () => {
    const { ask, names } = startQueue();
    const refused: string[] = [];
    const asked = (name: string, waiter?: Partial<Waiter>) =>
      void ask(name, waiter).catch((error) => refused.push(`${name} ${error.code}`));
    for (let count = 0; count < 2; count++) asked(`first ${count}`);
    for (let count = 0; count < 64; count++) asked(`bad ${count}`, { failures: 1 });
    for (let count = 0; count < 8; count++) asked('one address');
    await setImmediate();
    expect(refused).toEqual(Array.from({ length: 8 }, (_, count) => `bad ${63 - count} SIGN_IN_BUSY`));
    asked('one address');
    await setImmediate();
    expect(refused.at(-1)).toBe('one address SIGN_IN_BUSY');
    expect(names()).toEqual(['first 0', 'first 1']);
  });

  it('leaves out a client that is gone', async () => {
    const { ask, endOne } = startQueue();
    const gone = new AbortController();
    void ask('a');
    void ask('b');
    const lost = ask('lost', { signal: gone.signal });
    void ask('c');
    gone.abort();
    await expect(lost).rejects.toMatchObject({ code: 'SIGN_IN_BUSY' });
    await expect(ask('late', { signal: gone.signal })).rejects.toMatchObject({ code: 'SIGN_IN_BUSY' });
    expect(await endOne()).toEqual(['b', 'c']);
  });
});
