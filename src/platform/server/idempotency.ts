import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import { sha256Hex } from '#node/system/digest';
import type { Store, StoreTransaction } from '../store/store.ts';

/** How long an answer is kept, in milliseconds. */
const keptMs = 24 * 60 * 60_000;

/** A request that a client may send again when it does not know what became of it. */
export interface RepeatableRequest {
  /** Who sends it: keys of others are other keys. */
  readonly subject: string;
  /** Method and path: the key of one route says nothing to another. */
  readonly route: string;
  /** `undefined`: the request is carried out each time. */
  readonly key: string | undefined;
  readonly body: unknown;
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Anything that is JSON. */
  readonly body: object;
}

/** What a request did. */
export interface Effect {
  /** It is kept, and given again. */
  readonly answer: Answer;
  /** Joins the body of the first answer, and is kept nowhere. */
  readonly onlyOnce?: object;
}

export interface GivenAnswer extends Answer {
  readonly isReplayed: boolean;
}

/**
 * Carry out a request once for its key: whoever sends it again within 24 hours gets the same answer, and nothing is done. Answer
 * and effect are stored in one transaction, so that requests which arrive at the same time wait for the first one. A request
 * that is refused is not kept.
 *
 * @param work makes the change in the transaction that it is given.
 * @throws `IDEMPOTENCY_KEY_REUSED` for a key that came with another body before, and what `work` throws.
 */
export function runOnce(
  store: Store,
  clock: Clock,
  { subject, route, key, body }: RepeatableRequest,
  work: (transaction: StoreTransaction) => Promise<Effect>,
): Promise<GivenAnswer> {
  return store.transaction(async (transaction) => {
    if (key === undefined) return firstAnswer(await work(transaction));
    const { db, lock } = transaction;
    await lock(`idempotency key ${JSON.stringify([subject, route, key])}`);
    const now = clock.now();
    await db.deleteFrom('idempotencyKeys').where('expiresAt', '<=', now).execute();
    const fingerprint = sha256Hex(canonicalJson(body ?? null));
    const earlier = await db
      .selectFrom('idempotencyKeys')
      .select(['fingerprint', 'status', 'headers', 'body'])
      .where((the) => the.and({ subject, route, idempotencyKey: key }))
      .executeTakeFirst();
    if (earlier) {
      if (earlier.fingerprint !== fingerprint) throw keyReused();
      const { status, headers, body: kept } = earlier;
      return { status, headers: JSON.parse(headers), body: JSON.parse(kept), isReplayed: true };
    }
    const effect = await work(transaction);
    const { status, headers = {}, body: made } = effect.answer;
    await db
      .insertInto('idempotencyKeys')
      .values({
        ...{ subject, route, idempotencyKey: key, fingerprint, status, expiresAt: now + keptMs },
        headers: JSON.stringify(headers),
        body: JSON.stringify(made),
      })
      .execute();
    return firstAnswer(effect);
  });
}

function firstAnswer({ answer, onlyOnce }: Effect): GivenAnswer {
  return { ...answer, body: { ...answer.body, ...onlyOnce }, isReplayed: false };
}

/** The key of a request: 1 to 255 visible ASCII characters. Throws `REQUEST_INVALID` for anything else. */
export function idempotencyKeyOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw cloudError(
    'REQUEST_INVALID',
    'The header "Idempotency-Key" is not valid.',
    'Send 1 to 255 visible ASCII characters once, such as a UUID.',
  );
}

/** Send an answer, and say when it was given before. */
export function sendOnce(reply: FastifyReply, { status, headers = {}, body, isReplayed }: GivenAnswer): FastifyReply {
  if (isReplayed) reply.header('idempotent-replayed', 'true');
  return reply.code(status).headers(headers).send(body);
}

function keyReused(): CloudError {
  return cloudError(
    'IDEMPOTENCY_KEY_REUSED',
    'The idempotency key came with another body before.',
    'Send the same body again, or choose a new key for a new request.',
  );
}
