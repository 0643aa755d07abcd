import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { catalogue } from '#kernel/errors/catalogue';
import { type CloudError, cloudError, toCloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import type { CallSubject, FirstUses } from './first-use.ts';

/** An idempotency key, as one person uses it through one client for one tool. */
export interface AnswerKey {
  /** SHA-256 in hexadecimal digits. */
  readonly id: string;
  /** Of the arguments. */
  readonly digest: string;
}

/**
 * The answers of calls that had an idempotency key, for 24 hours. The platform remembers which keys were used, for all processes
 * of the agent; the answers themselves are in the memory of the process that gave them.
 */
export interface IdempotentAnswers<Answer> {
  /** `undefined` for a new key. Throws `REQUEST_CONFLICT` when the key came with other arguments. */
  find(key: AnswerKey): Promise<Answer> | undefined;
  /**
   * Carry out a call, and keep its answer; a call that is carried out already is waited for. What fails before anything was
   * done is not kept, so that the same call may be made again.
   *
   * @throws `REQUEST_CONFLICT` for a key that was used in another process, `MCP_FIRST_USE_UNKNOWN`.
   */
  once(key: AnswerKey, run: () => Promise<Answer>): Promise<Answer>;
}

const keptMs = 24 * 60 * 60 * 1000;
const keptKeys = 1_000;
const lowestServerError = 500;

interface KeptKey<Answer> {
  readonly digest: string;
  readonly runId: string;
  answer: Promise<Answer> | undefined;
}

export function answerKey(subject: CallSubject, key: string): AnswerKey {
  const { userId, clientId, tool, given } = subject;
  return {
    id: hash('sha256', canonicalJson(['idempotency key', userId, clientId, tool, key])),
    digest: hash('sha256', canonicalJson(given)),
  };
}

export function createIdempotentAnswers<Answer>(uses: FirstUses, clock: Clock): IdempotentAnswers<Answer> {
  const keys = new LRUCache<string, KeptKey<Answer>>({ max: keptKeys, ttl: keptMs });

  const known = ({ id, digest }: AnswerKey) => {
    const kept = keys.get(id);
    if (kept && kept.digest !== digest) throw conflict('The idempotency key came with other arguments before.');
    return kept;
  };

  return {
    find: (key) => known(key)?.answer,
    once: (key, run) => {
      const kept: KeptKey<Answer> = known(key) ?? { digest: key.digest, runId: uses.newRunId(), answer: undefined };
      if (kept.answer) return kept.answer;
      const answer = runFirst(key, kept, run);
      kept.answer = answer;
      keys.set(key.id, kept);
      answer.catch((error: unknown) => {
        if (!mayHaveActed(error)) kept.answer = undefined;
      });
      return answer;
    },
  };

  async function runFirst({ id }: AnswerKey, { runId }: KeptKey<Answer>, run: () => Promise<Answer>) {
    const isFirst = await uses.isFirst({ digest: id, runId, expiresAt: clock.now() + keptMs });
    if (isFirst) return run();
    throw conflict('The idempotency key was used before, and the answer is no longer at hand. Nothing was done now.');
  }
}

/** Whether a call may have done something before it failed: an error of the server or of its code says nothing about that. */
function mayHaveActed(thrown: unknown): boolean {
  const { code } = toCloudError(thrown);
  if (code === 'MCP_FIRST_USE_UNKNOWN' || code === 'ACTIVITY_NOT_RECORDED') return false;
  return catalogue[code].status >= lowestServerError;
}

function conflict(message: string): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    message,
    'Look whether the call was carried out. Give a new call a key of its own.',
  );
}
