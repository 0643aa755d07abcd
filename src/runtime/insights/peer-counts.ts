import { BroadcastChannel, threadId } from 'node:worker_threads';
import { type Counts, mergedCounts } from './query-recorder.ts';

/** The threads of one host that serve the same program: each takes a part of its requests. */
export interface PeerGroup {
  /** Whoever listens there belongs to the group. */
  readonly channel: string;
  readonly size: number;
  /** What the host is called. */
  readonly host?: string | undefined;
}

/** What all threads of a host have counted together. */
export interface GatheredCounts {
  readonly counts: Counts;
  readonly workers: number;
  /** Those whose counts are in it. */
  readonly answered: number;
  /** From then on, every one of them has counted. */
  readonly allSince: number;
}

export type GatherCounts = () => Promise<GatheredCounts>;

type Message =
  | { readonly kind: 'asked'; readonly question: string }
  | { readonly kind: 'told'; readonly question: string; readonly counts: Counts };

/** A thread that is busy for longer is left out, and the answer says so. */
const mostWaitMs = 2_000;

/** Counts of a thread that has no others beside it. */
export function ownCounts(own: () => Counts): GatherCounts {
  return async () => gathered([own()], 1);
}

/** Take part in a group: tell the others what this thread has counted, and ask them. */
export function joinPeers({ channel, size }: PeerGroup, own: () => Counts) {
  const line = new BroadcastChannel(channel);
  const open = new Map<string, (counts: Counts) => void>();
  let questions = 0;
  line.onmessage = (event: unknown) => {
    const { data } = event as { readonly data: Message };
    if (data.kind === 'told') open.get(data.question)?.(data.counts);
    else line.postMessage({ kind: 'told', question: data.question, counts: own() } satisfies Message);
  };
  line.unref();
  const gather: GatherCounts = () => {
    const question = `${threadId} ${questions++}`;
    const told = [own()];
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(resolve, mostWaitMs);
    open.set(question, (counts) => {
      told.push(counts);
      if (told.length >= size) resolve();
    });
    if (told.length >= size) resolve();
    else line.postMessage({ kind: 'asked', question } satisfies Message);
    return promise.then(() => {
      clearTimeout(deadline);
      open.delete(question);
      return gathered(told, size);
    });
  };
  return { gather, close: () => line.close() };
}

function gathered(told: readonly Counts[], workers: number): GatheredCounts {
  const allSince = Math.max(...told.map(({ since }) => since));
  return { counts: mergedCounts(told), workers, answered: told.length, allSince };
}
