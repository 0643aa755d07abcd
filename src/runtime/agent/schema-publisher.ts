import { setTimeout as delay } from 'node:timers/promises';
import type { SchemaDocument } from '#contracts/schema-document';
import type { Logger } from '#kernel/ports/logger';
import { isAway } from '../permissions/outage.ts';
import { publishSchema, type SchemaStore } from './schema-file.ts';

/** How long a start waits for a platform that does not answer. */
const patienceMs = 5_000;
/** Milliseconds before the second try; each further pause is twice as long. */
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

/** Sends schemas to the platform, in the end. */
export interface SchemaPublisher {
  /**
   * Resolves when the platform has the schema, or when it does not answer: then it is sent as soon as it does. Rejects when
   * the platform refuses.
   */
  publish(document: SchemaDocument): Promise<void>;
  /** Send nothing any more. */
  close(): void;
}

export function createSchemaPublisher(store: SchemaStore, logger: Logger): SchemaPublisher {
  let ending = new AbortController();
  const stop = () => {
    ending.abort();
    ending = new AbortController();
    return ending.signal;
  };
  return {
    publish: async (document) => {
      const signal = stop();
      const sending = publishSchema(store, document).then(() => 'sent' as const);
      const outcome = await Promise.race([
        sending.catch((error: unknown) => {
          if (!isAway(error)) throw error;
          return 'away' as const;
        }),
        delay(patienceMs, 'slow' as const, { signal, ref: false }),
      ]);
      if (outcome === 'sent') return;
      logger.log('Warn', 'The platform does not answer; the schema is sent when it does.');
      void sendLater(store, document, signal, logger);
    },
    close: () => void stop(),
  };
}

async function sendLater(
  store: SchemaStore,
  document: SchemaDocument,
  signal: AbortSignal,
  logger: Logger,
): Promise<void> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined); // Looked at in the next line.
    if (signal.aborted) return;
    try {
      await publishSchema(store, document);
      return;
    } catch (error) {
      if (isAway(error)) continue;
      logger.log('Error', 'The platform does not take the schema.', { error });
      return;
    }
  }
}
