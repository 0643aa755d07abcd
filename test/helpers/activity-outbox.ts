import { onTestFinished } from 'vitest';
import { type Activity, type ActivityEntry, activityBatchSchema } from '#contracts/activity';
import type { ActivityValues } from '#contracts/history';
import type { FileSystem } from '#kernel/ports/file-system';
import type { Logger } from '#kernel/ports/logger';
import { nodeFileSystem } from '#node/files/node-file-system';
import { systemRandom } from '#node/system/system-random';
import {
  type ActivityOutbox,
  type ActivityOutboxOptions,
  createActivityOutbox,
} from '#runtime/activity/activity-outbox';
import { createManualTime, type ManualTime } from './manual-time.ts';

/** A platform in memory that can be told not to answer. */
export interface MemoryPlatform {
  /** The reports it has stored, each once. */
  readonly stored: readonly Activity[];
  /** All ids of an act: those of its report, then those of its continuations. */
  idsOf(act: Activity): readonly string[];
  /** What was told of the values of an act. */
  valuesOf(act: Activity): ActivityValues['values'] | undefined;
  /** How many entries every batch held that it was sent. */
  readonly batches: readonly number[];
  /** The bytes of the largest batch, as it travels. */
  readonly largestBytes: number;
  isDown: boolean;
  reportActivities(entries: readonly string[]): Promise<void>;
}

export function createMemoryPlatform(): MemoryPlatform {
  const byKey = new Map<string, ActivityEntry>();
  const batches: number[] = [];
  let largestBytes = 0;
  const platform = {
    batches,
    isDown: false,
    get largestBytes() {
      return largestBytes;
    },
    get stored() {
      return [...byKey.values()].flatMap((entry) => ('type' in entry ? [entry] : []));
    },
    idsOf: (act: Activity) =>
      [...byKey.values()].flatMap((entry) => (entry.id === act.id && 'recordIds' in entry ? entry.recordIds : [])),
    valuesOf: (act: Activity) =>
      [...byKey.values()].flatMap((entry) => (entry.id === act.id && 'values' in entry ? [entry.values] : []))[0],
    reportActivities: async (texts: readonly string[]) => {
      batches.push(texts.length);
      const body = `{"activities":[${texts.join()}]}`;
      largestBytes = Math.max(largestBytes, Buffer.byteLength(body));
      if (platform.isDown) throw new Error('down');
      for (const entry of activityBatchSchema.parse(JSON.parse(body)).activities) {
        const part = 'part' in entry ? entry.part : 0;
        const key = 'values' in entry ? `${entry.id} values` : `${entry.id} ${part}`;
        if (part > 0 && !byKey.has(`${entry.id} ${part - 1}`)) throw new Error(`${key} came before what it continues`);
        if (!byKey.has(key)) byKey.set(key, entry);
      }
    },
  };
  return platform;
}

export interface TestOutbox {
  readonly outbox: ActivityOutbox;
  readonly time: ManualTime;
  /** What it warned of. */
  readonly warnings: readonly { readonly message: string; readonly fields: unknown }[];
  /** Read the record of that id, from beginning to end. */
  read(recordId: string): Promise<void>;
}

/** An outbox that is started, in time that passes by hand. */
export function startOutbox(
  options: Pick<ActivityOutboxOptions, 'platform' | 'folder'> & Partial<ActivityOutboxOptions>,
  time = createManualTime(),
): TestOutbox {
  const warnings: { message: string; fields: unknown }[] = [];
  const logger: Logger = { log: (_level, message, fields) => void warnings.push({ message, fields }) };
  const outbox = createActivityOutbox({
    logger,
    clock: time.clock,
    timers: time.timers,
    random: systemRandom,
    envSecret: 'e'.repeat(64),
    serverUrl: 'https://platform.test',
    ...options,
  });
  outbox.start();
  onTestFinished(() => outbox.stop(0));
  const read = async (recordId: string) => {
    const note = await outbox.begin(factsOf('read', recordId));
    await note({ status: 'completed' });
  };
  return { outbox, time, warnings, read };
}

export function factsOf(action: 'read' | 'update', ...recordIds: string[]): Parameters<ActivityOutbox['begin']>[0] {
  return {
    action,
    label: undefined,
    collection: 'orders',
    recordIds,
    source: 'rest',
    user: { id: 7, email: 'ada@example.test', name: 'Ada Lovelace', team: 'Operations', role: 'Operator' },
    renderingId: 3,
    correlationId: 'c',
  };
}

/** The files of the machine. `before` is called before a text is added to a file; what it throws is the failure of the disk. */
export function watchedFileSystem(
  before: (file: string, text: string, isDurable: boolean) => Promise<void>,
): FileSystem {
  return {
    ...nodeFileSystem,
    append: async (file, text, options) => {
      await before(file, text, options?.isDurable === true);
      await nodeFileSystem.append(file, text, options);
    },
    openForAppending: async (file, options) => {
      const opened = await nodeFileSystem.openForAppending(file, options);
      const append = async (text: string) => {
        await before(file, text, options?.isDurable === true);
        await opened.append(text);
      };
      return { append, close: opened.close };
    },
  };
}
