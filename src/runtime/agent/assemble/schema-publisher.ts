import { setTimeout as delay } from 'node:timers/promises';
import type { SchemaDocument } from '#contracts/schema-document';
import { createTaskQueue } from '#kernel/async/task-queue';
import type { Logger } from '#kernel/ports/logger';
import { isAway } from '../../permissions/outage.ts';
import { publishSchema, type SchemaStore } from './schema-file.ts';

/** How long a start waits for a platform that does not answer. */
const patienceMs = 5_000;
/** Milliseconds before the second try; each further pause is twice as long. */
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

/** Sends schemas to the platform, in the end: one at a time, so that the platform has the latest. */
export interface SchemaPublisher {
  /**
   * Resolves when the platform has the schema, or when it does not answer: then it is sent as soon as it does, unless a later
   * one takes its place. Rejects when the platform refuses.
   */
  publish(document: SchemaDocument): Promise<void>;
  /** Send nothing any more. */
  close(): void;
}

export function createSchemaPublisher(store: SchemaStore, logger: Logger): SchemaPublisher {
  let latest = new AbortController();
  const inTurn = createTaskQueue();
  /** Of the schema that comes now; the one before is sent no more. */
  const nextSignal = () => {
    latest.abort();
    latest = new AbortController();
    return latest.signal;
  };
  return {
    publish: async (document) => {
      const signal = nextSignal();
      const { promise: whenAway, resolve: tellAway } = Promise.withResolvers<void>();
      const sending = inTurn(() => sendUntilTaken(store, document, signal, tellAway));
      const outcome = await Promise.race([
        sending.then(() => 'over' as const),
        whenAway.then(() => 'away' as const),
        // Where it is sent no more, nobody has to know.
        delay(patienceMs, 'slow' as const, { signal, ref: false }).catch(() => 'over' as const),
      ]);
      if (outcome === 'over') return;
      logger.log('Warn', 'The platform does not answer; the schema is sent when it does.');
      sending.catch((error: unknown) => logger.log('Error', 'The platform does not take the schema.', { error }));
    },
    close: () => void nextSignal(),
  };
}

/** Resolves when the platform has it, or it is to be sent no more; rejects when the platform refuses. */
async function sendUntilTaken(
  store: SchemaStore,
  document: SchemaDocument,
  signal: AbortSignal,
  onAway: () => void,
): Promise<void> {
  for (let pauseMs = firstPauseMs; !signal.aborted; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      await publishSchema(store, document);
      return;
    } catch (error) {
      // A closed connection is no refusal, and a later schema speaks for itself.
      if (signal.aborted) return;
      if (!isAway(error)) throw error;
      onAway();
    }
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined); // Looked at by the loop.
  }
}
