import { onTestFinished } from 'vitest';
import { type Activity, activitySchema } from '#contracts/activity';
import { systemRandom } from '#host/system/system-random';
import type { Logger } from '#kernel/ports/logger';
import {
  type ActivityOutbox,
  type ActivityOutboxOptions,
  createActivityOutbox,
} from '#runtime/activity/activity-outbox';
import { createManualTime, type ManualTime } from './manual-time.ts';

/** A platform in memory that can be told not to answer. */
export interface MemoryPlatform {
  /** What it has stored, each activity once. */
  readonly stored: readonly Activity[];
  /** How many activities every batch held that it was sent. */
  readonly batches: readonly number[];
  isDown: boolean;
  reportActivities(activities: readonly string[]): Promise<void>;
}

export function createMemoryPlatform(): MemoryPlatform {
  const byId = new Map<string, Activity>();
  const batches: number[] = [];
  const platform = {
    batches,
    isDown: false,
    get stored() {
      return [...byId.values()];
    },
    reportActivities: async (texts: readonly string[]) => {
      batches.push(texts.length);
      if (platform.isDown) throw new Error('down');
      for (const activity of texts.map((text) => activitySchema.parse(JSON.parse(text)))) {
        if (!byId.has(activity.id)) byId.set(activity.id, activity);
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
    note('completed');
  };
  return { outbox, time, warnings, read };
}

export function factsOf(action: 'read' | 'update', recordId: string): Parameters<ActivityOutbox['begin']>[0] {
  return {
    action,
    label: undefined,
    collection: 'orders',
    recordIds: [recordId],
    userId: 7,
    renderingId: 3,
    correlationId: 'c',
  };
}
