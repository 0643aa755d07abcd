import { AsyncLocalStorage } from 'node:async_hooks';
import process from 'node:process';

type Listener = (...values: unknown[]) => void;

interface Record {
  readonly timers: Set<ReturnType<typeof setTimeout>>;
  readonly listeners: { readonly event: string | symbol; readonly listener: Listener }[];
}

export interface SideEffects {
  /** Run `work`; what it creates, and what its promises create later on, is recorded. */
  record<Result>(work: () => Result): Result;
  /** Clear every recorded timer and remove every recorded listener. */
  undo(): void;
}

/** Tells the timers of the user's code from those of the agent, which run in the same thread. */
const current = new AsyncLocalStorage<Record>();
let isPatched = false;

/**
 * Records the timers and process listeners that some code creates, so that they can be removed when the code is
 * replaced: otherwise every save would leave its intervals behind, running code that no longer exists.
 */
export function recordSideEffects(): SideEffects {
  patchOnce();
  const record: Record = { timers: new Set(), listeners: [] };
  return {
    record: (work) => current.run(record, work),
    undo() {
      for (const timer of record.timers) clearTimeout(timer);
      for (const { event, listener } of record.listeners) process.off(event, listener);
      record.timers.clear();
      record.listeners.length = 0;
    },
  };
}

function patchOnce(): void {
  if (isPatched) return;
  isPatched = true;
  globalThis.setTimeout = recording(globalThis.setTimeout);
  globalThis.setInterval = recording(globalThis.setInterval);
  process.on('newListener', (event: string | symbol, listener: Listener) => {
    current.getStore()?.listeners.push({ event, listener });
  });
}

function recording<Timer extends typeof setTimeout | typeof setInterval>(original: Timer): Timer {
  return new Proxy(original, {
    apply(target, self, input) {
      const timer = Reflect.apply(target, self, input) as ReturnType<typeof setTimeout>;
      current.getStore()?.timers.add(timer);
      return timer;
    },
  });
}
