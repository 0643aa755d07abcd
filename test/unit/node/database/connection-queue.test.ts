import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ConnectionQueue, createConnectionQueue } from '#node/database/connection-queue';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const waitMs = 1000;
const newQueue = (size = 1) => createConnectionQueue<string, string>(size, waitMs);

/** Puts a request into the queue and notes what becomes of it. */
function join(
  queue: ConnectionQueue<string, string>,
  options: { readonly shareable?: string; readonly signal?: AbortSignal; readonly hasDeadline?: boolean } = {},
) {
  const { hasDeadline = true, ...rest } = options;
  const outcome: { served: string[]; refused: unknown[] } = { served: [], refused: [] };
  const request = {
    ...rest,
    serve: (connection: string) => outcome.served.push(connection),
    refuse: (error: unknown) => outcome.refused.push(error),
  };
  queue.join(request, hasDeadline);
  return outcome;
}

/** Everything that the queue offers room for, as long as `hasRoom` says so. */
function taken(queue: ConnectionQueue<string, string>, hasRoom: (shareable: string) => boolean = () => true): string[] {
  const all: string[] = [];
  queue.offerRoom((shareable) => {
    if (!hasRoom(shareable)) return false;
    all.push(shareable);
    return true;
  });
  return all;
}

describe('the queue in front of connections', () => {
  it('gives out requests in the order in which they came', () => {
    const queue = newQueue();
    const outcomes = [join(queue), join(queue), join(queue)];
    for (const connection of ['first', 'second', 'third']) queue.takeFirst()?.serve(connection);
    expect(outcomes.map(({ served }) => served)).toEqual([['first'], ['second'], ['third']]);
    expect(queue.takeFirst()).toBeUndefined();
    expect(queue.length()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('refuses a request that has waited for too long, and only that one', () => {
    const queue = newQueue();
    const early = join(queue);
    vi.advanceTimersByTime(waitMs / 2);
    const late = join(queue);
    vi.advanceTimersByTime(waitMs / 2);
    expect(early.refused).toEqual([
      expect.objectContaining({
        code: 'DATABASE_BUSY',
        message: 'All 1 connections to the database are in use, and none came free within 1000 ms.',
      }),
    ]);
    expect(late.refused).toEqual([]);
    expect(queue.length()).toBe(1);
  });

  it('lets a request without a deadline wait', () => {
    const queue = newQueue();
    const patient = join(queue, { hasDeadline: false });
    vi.advanceTimersByTime(10 * waitMs);
    expect(patient.refused).toEqual([]);
    expect(queue.length()).toBe(1);
  });

  it('refuses a request at once when a hundred wait for each connection', () => {
    const queue = newQueue(2);
    for (let n = 0; n < 200; n++) expect(join(queue).refused).toEqual([]);
    expect(join(queue).refused).toEqual([expect.objectContaining({ code: 'DATABASE_BUSY' })]);
    expect(queue.length()).toBe(200);
  });

  it('lets go of a request whose caller goes away', () => {
    const queue = newQueue();
    const leaving = new AbortController();
    const left = join(queue, { signal: leaving.signal });
    const next = join(queue);
    leaving.abort();
    expect(left.refused).toEqual([expect.objectContaining({ code: 'INTERRUPTED' })]);
    queue.takeFirst()?.serve('connection');
    expect([left.served, next.served]).toEqual([[], ['connection']]);
  });

  it('forgets the signal and the deadline of a request that it gave out', () => {
    const queue = newQueue();
    const leaving = new AbortController();
    const served = join(queue, { signal: leaving.signal });
    queue.takeFirst()?.serve('connection');
    leaving.abort();
    vi.advanceTimersByTime(waitMs);
    expect(served).toEqual({ served: ['connection'], refused: [] });
  });

  it('offers room to requests that can share, in the order in which they came', () => {
    const queue = newQueue();
    const single = join(queue);
    join(queue, { shareable: 'a' });
    join(queue, { shareable: 'b' });
    expect(queue.hasShareable()).toBe(true);
    expect(taken(queue)).toEqual(['a', 'b']);
    expect(queue.hasShareable()).toBe(false);
    queue.takeFirst()?.serve('connection');
    expect(single.served).toEqual(['connection']);
  });

  it('lets no request that needs less room pass one that needs more', () => {
    const queue = newQueue();
    for (const shareable of ['a', 'large', 'b']) join(queue, { shareable });
    expect(taken(queue, (shareable) => shareable !== 'large')).toEqual(['a']);
    expect(taken(queue)).toEqual(['large', 'b']);
  });
});
