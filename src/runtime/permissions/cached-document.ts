import { setTimeout as delay } from 'node:timers/promises';
import type * as z from 'zod';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { LastKnownPermissions } from './last-known-permissions.ts';
import { isAway, type Outage, tooSlow } from './platform-outage.ts';

/** How long a request waits for the platform when a last known document could take its place. */
const patienceMs = 2_000;

/** The permissions to use while the platform is away. */
export interface StandIn {
  readonly outage: Outage;
  readonly lastKnown: LastKnownPermissions;
}

/** A document of the platform, kept after it was fetched. */
export interface CachedDocument<Value> {
  /**
   * The value; fetched again when the kept one is older than `maxAgeMs`. Callers that arrive while it is fetched share one
   * call, and a failure is never kept. While the platform is away, or slow, the last known document takes its place; without
   * one the call fails as the fetch does.
   */
  get(maxAgeMs: number): MaybePromise<Value>;
  /** The kept value when it is not older than `maxAgeMs`. Nothing is fetched. */
  atHand(maxAgeMs: number): { readonly value: Value } | undefined;
  /** Fetch the document again before it is used. While the platform is away the last known one still counts. */
  forget(): void;
  /** The document has changed: neither the kept nor the last known one is used again. */
  drop(): void;
}

/** The parts of a document. */
interface DocumentSource<Schema extends z.ZodType, Value> {
  /** The name of the document among the last known ones. */
  readonly name: string;
  /** The schema of a last known document. */
  readonly schema: Schema;
  ask(): Promise<z.output<Schema>>;
  /** Called for each document that was read, not for each use. */
  shape(document: z.output<Schema>): Value;
}

/** @param standIn The last known documents. Without it only answers of the platform count. */
export function createCachedDocument<Schema extends z.ZodType, Value>(
  source: DocumentSource<Schema, Value>,
  clock: Clock,
  standIn?: StandIn,
): CachedDocument<Value> {
  const { name, ask, schema, shape } = source;
  if (!standIn) {
    const cached = createCachedFetch(async () => shape(await ask()), clock);
    return { ...cached, drop: cached.forget };
  }
  const { lastKnown, outage } = standIn;
  const cached = createCachedFetch(async (isCurrent) => shape(await askAndRemember(source, standIn, isCurrent)), clock);
  const find = async () => {
    const document = await lastKnown.find(name, schema);
    return document === undefined ? undefined : shape(document);
  };
  return {
    atHand: cached.atHand,
    get: (maxAgeMs) => {
      const atHand = cached.atHand(maxAgeMs);
      return atHand ? atHand.value : getOrStandIn(() => cached.get(maxAgeMs), find, outage);
    },
    forget: cached.forget,
    drop: () => {
      cached.forget();
      lastKnown.drop(name);
    },
  };
}

/**
 * Fetches a value. `isCurrent` says whether nobody called `forget` since the fetch began; after a `forget` the answer may be
 * older than the change.
 */
type Fetch<Value> = (isCurrent: () => boolean) => Promise<Value>;

type CachedFetch<Value> = Pick<CachedDocument<Value>, 'get' | 'atHand' | 'forget'>;

function createCachedFetch<Value>(fetch: Fetch<Value>, clock: Clock): CachedFetch<Value> {
  let kept: { readonly value: Value; readonly fetchedAtMs: number } | undefined;
  let running: Promise<Value> | undefined;
  let generation = 0;

  const refresh = async (): Promise<Value> => {
    const begunIn = generation;
    const isCurrent = () => begunIn === generation;
    // The age counts from the question, so that a slow answer does not pass for a fresh one.
    const fetchedAtMs = clock.monotonicMs();
    try {
      const value = await fetch(isCurrent);
      if (isCurrent()) kept = { value, fetchedAtMs };
    } finally {
      if (isCurrent()) running = undefined;
    }
    if (kept) return kept.value;
    running ??= refresh();
    return running;
  };

  const atHand = (maxAgeMs: number) => (kept && clock.monotonicMs() - kept.fetchedAtMs <= maxAgeMs ? kept : undefined);

  return {
    atHand,
    get: (maxAgeMs) => {
      const found = atHand(maxAgeMs);
      if (found) return found.value;
      running ??= refresh();
      return running;
    },
    forget: () => {
      generation++;
      kept = undefined;
      running = undefined;
    },
  };
}

/** Ask the platform, and bring the last known documents in line with its answer, a refusal included. */
async function askAndRemember<Schema extends z.ZodType>(
  { name, ask }: Pick<DocumentSource<Schema, unknown>, 'name' | 'ask'>,
  { outage, lastKnown }: StandIn,
  isCurrent: () => boolean,
): Promise<z.output<Schema>> {
  try {
    const document = await ask();
    outage.ended();
    if (isCurrent()) lastKnown.keep(name, document);
    return document;
  } catch (error) {
    if (isAway(error)) outage.began(error);
    else if (isCloudError(error) && error.code === 'PLATFORM_UNAUTHENTICATED') lastKnown.dropAll();
    else if (isCloudError(error) && error.code === 'PLATFORM_REFUSED') lastKnown.drop(name);
    throw error;
  }
}

/** The answer of the platform, or the last known value while the platform is away. */
async function getOrStandIn<Value>(
  ask: () => MaybePromise<Value>,
  findLastKnown: () => Promise<Value | undefined>,
  outage: Outage,
): Promise<Value> {
  const known = await findLastKnown();
  try {
    const reason = outage.current();
    if (reason) throw reason;
    return await (known === undefined ? ask() : withinPatience(ask(), outage));
  } catch (error) {
    if (!isAway(error)) throw error;
    // The document may have been dropped during the wait.
    const stillKnown = await findLastKnown();
    if (stillKnown === undefined) throw error;
    outage.bridged();
    return stillKnown;
  }
}

/** A fetch that takes longer goes on; its value is used once it arrives. */
async function withinPatience<Value>(fetching: MaybePromise<Value>, outage: Outage): Promise<Value> {
  const isOver = new AbortController();
  const giveUp = async () => {
    await delay(patienceMs, undefined, { signal: isOver.signal, ref: false });
    const error = tooSlow();
    outage.began(error);
    throw error;
  };
  try {
    return await Promise.race([fetching, giveUp()]);
  } finally {
    isOver.abort();
  }
}
