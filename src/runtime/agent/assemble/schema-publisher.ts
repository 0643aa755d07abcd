import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type SchemaDocument, schemaDocumentSchema } from '#contracts/schema-document';
import { createTaskQueue } from '#kernel/async/task-queue';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import type { Logger } from '#kernel/ports/logger';
import { isAway } from '../../permissions/platform-outage.ts';

/** How long a start waits for a platform that does not answer. */
const patienceMs = 5_000;
/** Milliseconds before the second try; each further pause is twice as long. */
const firstPauseMs = 2_000;
const longestPauseMs = 60_000;

/** Sends schemas to the platform, one at a time, so that the platform ends up with the latest. */
export interface SchemaPublisher {
  /**
   * Resolves when the platform has the schema, or does not answer. Then the schema is sent as soon as the platform answers, unless
   * a later one replaces it. Rejects when the platform refuses.
   */
  publish(document: SchemaDocument): Promise<void>;
  /** Send nothing any more. */
  close(): void;
}

export function createSchemaPublisher(store: SchemaStore, logger: Logger): SchemaPublisher {
  let latest = new AbortController();
  const inTurn = createTaskQueue();
  /** The signal of the next schema. The one before is not sent any more. */
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
        // A schema that is not sent any more needs no warning.
        delay(patienceMs, 'slow' as const, { signal, ref: false }).catch(() => 'over' as const),
      ]);
      if (outcome === 'over') return;
      logger.log('Warn', 'The platform does not answer; the schema is sent when it does.');
      sending.catch((error: unknown) => logger.log('Error', 'The platform does not take the schema.', { error }));
    },
    close: () => void nextSignal(),
  };
}

/** Resolves when the platform has the schema, or `signal` aborts; rejects when the platform refuses. */
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
      // The connection was closed, or a later schema has replaced this one.
      if (signal.aborted) return;
      if (!isAway(error)) throw error;
      onAway();
    }
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined); // Looked at by the loop.
  }
}

/** The schema file of a production build. Rejects with `AGENT_SCHEMA_MISSING` when it is absent or not one. */
export async function readSchemaFile(fs: FileSystem, path: string): Promise<SchemaDocument> {
  const text = await fs.readText(path);
  if (text === null) throw missing(`The schema file ${path} does not exist.`);
  try {
    return schemaDocumentSchema.parse(JSON.parse(text));
  } catch (error) {
    throw missing(`The schema file ${path} is not a schema.`, error);
  }
}

/** The place where schemas are kept: the platform. */
export interface SchemaStore {
  checkSchemaHash(hash: string): Promise<{ readonly sendSchema: boolean }>;
  uploadSchema(document: SchemaDocument, hash: string): Promise<void>;
}

/** Send a schema unless the platform has it already. */
async function publishSchema(store: SchemaStore, document: SchemaDocument): Promise<void> {
  const { collections, meta } = document;
  // The hash only tells schemas apart, and SHA-1 is what the platform's protocol prescribes for it.
  const hash = createHash('sha1').update(JSON.stringify({ collections, meta })).digest('hex');
  const { sendSchema } = await store.checkSchemaHash(hash);
  if (sendSchema) await store.uploadSchema(document, hash);
}

function missing(message: string, cause?: unknown): CloudError {
  return cloudError(
    'AGENT_SCHEMA_MISSING',
    message,
    'Start the agent once in development, or call generateSchemaOnly(), and ship the file with the code.',
    { cause },
  );
}
