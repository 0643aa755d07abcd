import { CloudError } from '#kernel/errors/cloud-error';
import { interrupted } from './database-errors.ts';

/** Admits as many at once as there are connections; the others wait their turn, for a bounded time. */
export interface ConnectionSlots {
  /** What gives the slot back: at once where one is free. Rejects with `DATABASE_BUSY`, or `INTERRUPTED` on an abort. */
  take(signal?: AbortSignal): (() => void) | Promise<() => void>;
  areTaken(): boolean;
  /** Whether somebody waits for a slot, so that the next one that is given back is theirs at once. */
  isWaitedFor(): boolean;
}

interface Waiting {
  admit(): void;
}

const maxWaitingPerSlot = 100;

export function createConnectionSlots(size: number, waitMs: number): ConnectionSlots {
  const waiting: Waiting[] = [];
  let free = size;

  function giveBack(): void {
    const next = waiting.shift();
    if (next) next.admit();
    else free += 1;
  }

  function onceOnly(): () => void {
    let isGivenBack = false;
    return () => {
      if (isGivenBack) return;
      isGivenBack = true;
      giveBack();
    };
  }

  async function waitForOne(signal: AbortSignal | undefined): Promise<() => void> {
    if (waiting.length >= size * maxWaitingPerSlot) throw busy(size, 'and too many requests wait for one');
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        const place = waiting.indexOf(self);
        if (place !== -1) waiting.splice(place, 1);
      };
      const self: Waiting = {
        admit: () => {
          leave();
          resolve();
        },
      };
      const onAbort = () => {
        leave();
        reject(interrupted());
      };
      const timer = setTimeout(() => {
        leave();
        reject(busy(size, `and none came free within ${waitMs} ms`));
      }, waitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      waiting.push(self);
    });
    return onceOnly();
  }

  return {
    take(signal) {
      if (signal?.aborted) return Promise.reject(interrupted());
      if (free === 0) return waitForOne(signal);
      free -= 1;
      return onceOnly();
    },
    areTaken: () => free === 0,
    isWaitedFor: () => waiting.length > 0,
  };
}

function busy(size: number, why: string): CloudError {
  return new CloudError({
    code: 'DATABASE_BUSY',
    message: `All ${size} connections to the database are in use, ${why}.`,
    nextSteps: ['Try again, find out which queries are slow, or raise the size of the connection pool.'],
  });
}
