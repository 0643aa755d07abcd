import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';

/** What a request holds, in values of 8 bytes. */
const heldValues = 1_250;
const requests = 20_000;
const atOnce = 16;

/**
 * By how many MB the old objects grow while 200 MB of requests come and go, of which 16 are under way at a time. Nothing of them grows old,
 * unless something holds what has left.
 *
 * @param begin begins a request; the result ends it.
 */
export async function oldMemoryOf(begin: (request: () => unknown) => () => unknown): Promise<number> {
  const underWay: (() => unknown)[] = [];
  const beginOne = (number: number) => {
    const held = new Array<number>(heldValues).fill(number);
    underWay.push(begin(() => held));
    if (underWay.length > atOnce) underWay.shift()?.();
  };
  for (let number = 0; number < atOnce; number++) beginOne(number);
  // What is under way now becomes old.
  globalThis.gc?.();
  const before = oldBytes();
  let most = before;
  for (let number = 0; number < requests; number++) {
    beginOne(number);
    if (number % 1_000 !== 0) continue;
    most = Math.max(most, oldBytes());
    await nextTurn();
  }
  for (const end of underWay) end();
  return (most - before) / 1024 ** 2;
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0;
}
