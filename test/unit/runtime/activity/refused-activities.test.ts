import { describe, expect, it } from 'vitest';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { nodeFileSystem } from '#node/files/node-file-system';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createActivitySender } from '#runtime/activity/activity-sender';
import { ActivitySpool } from '#runtime/activity/activity-spool';
import { createSpoolFolder } from '#runtime/activity/spool-folder';
import { notedOf } from '#runtime/activity/spool-segment';
import { createMemoryPlatform, factsOf, startOutbox } from '../../../helpers/activity-outbox.ts';
import { eventually } from '../../../helpers/eventually.ts';
import { createManualTime } from '../../../helpers/manual-time.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

function refusal(status: number): CloudError {
  const nextSteps = ['Send something else.'] as const;
  return cloudError('PLATFORM_REFUSED', 'No.', nextSteps, { safeDetails: { status } });
}

/** A platform that refuses every batch with one of these records in it. */
function platformThatRefuses(isRefused: (recordId: string) => boolean, status = 422) {
  const memory = createMemoryPlatform();
  let calls = 0;
  return {
    stored: () => memory.stored.flatMap(({ recordIds }) => recordIds),
    calls: () => calls,
    reportActivities: async (texts: readonly string[]) => {
      calls++;
      const ids = texts.flatMap((text) => (JSON.parse(text) as { recordIds: string[] }).recordIds);
      if (ids.some(isRefused)) {
        throw refusal(status);
      }
      await memory.reportActivities(texts);
    },
  };
}

describe('an activity that the platform refuses for what it says', () => {
  it('is found, and dropped, so that the others are sent in their order', async () => {
    const platform = platformThatRefuses((id) => id === '0' || id === '300' || id === '301' || id === '699');
    const { outbox, read, time, warnings } = startOutbox({ folder: await temporaryFolder(), platform });
    for (const id of numbers(700)) await read(id);
    const taken = numbers(699).filter((id) => !['0', '300', '301'].includes(id));
    await eventually(() => {
      time.pass(500);
      expect(platform.stored()).toEqual(taken);
    });
    expect(warnings).toContainEqual({
      message: expect.stringContaining('refuses activities for what they say'),
      fields: expect.objectContaining({ dropped: 1, error: expect.objectContaining({ code: 'PLATFORM_REFUSED' }) }),
    });

    // The last one has nothing behind it that would tell whose fault it is, until there is.
    await read('700');
    await eventually(() => {
      time.pass(60_000);
      expect(platform.stored()).toEqual([...taken, '700']);
    });
    await outbox.stop(1_000);
    expect(platform.stored()).toHaveLength(taken.length + 1);
  });

  it.each([
    ['a platform that refuses everything', 422],
    ['a refusal that is not about what they say', 403],
  ])('stays where it is with %s', async (_name, status) => {
    let isRefusing = true;
    const platform = platformThatRefuses((id) => isRefusing && (status === 422 || id === '3'), status);
    const { read, time } = startOutbox({ folder: await temporaryFolder(), platform });
    for (const id of numbers(40)) await read(id);
    const enough = status === 422 ? 17 : 1;
    await eventually(() => {
      if (platform.calls() < enough) time.pass(500);
      expect(platform.calls()).toBeGreaterThanOrEqual(enough);
    });
    expect(platform.stored()).toEqual([]);
    isRefusing = false;
    await eventually(() => {
      time.pass(60_000);
      expect(platform.stored()).toEqual(numbers(40));
    });
  });

  it('stays where records are required', async () => {
    const platform = platformThatRefuses((id) => id === '1');
    const { outbox } = startOutbox({ folder: await temporaryFolder(), platform, isRequired: true });
    for (const id of ['1', '2']) await (await outbox.begin(factsOf('update', id)))({ status: 'completed' });
    await outbox.stop(1_000);
    expect(platform.calls()).toBeGreaterThan(0);
    expect(platform.stored()).toEqual([]);
  });

  it('is not mistaken for the activity that became the oldest when others were dropped', async () => {
    const dropped: number[] = [];
    const onDropped = (count: number) => void dropped.push(count);
    const folder = createSpoolFolder({
      root: await temporaryFolder(),
      name: 'a',
      fs: nodeFileSystem,
      clock: systemClock,
    });
    const spool = new ActivitySpool({
      folder,
      maxBytes: 800,
      whenFull: () => 'drop oldest',
      onDropped,
      onShortened: () => undefined,
      onFileFailure: () => undefined,
    });
    const add = (id: number) => spool.add(notedOf([JSON.stringify({ id, text: 'x'.repeat(20) })]));
    const stored: number[] = [];
    const platform = {
      reportActivities: async (texts: readonly string[]) => {
        const ids = texts.map((text) => (JSON.parse(text) as { id: number }).id);
        if (ids.includes(0)) {
          // While the first is looked at by itself, this many come that it has to make room with its neighbours.
          if (ids.length === 1) for (let id = 10; id < 25; id++) add(id);
          throw refusal(422);
        }
        stored.push(...ids);
      },
    };
    for (let id = 0; id < 10; id++) add(id);
    const { timers } = createManualTime();
    const warn = () => undefined;
    const sender = createActivitySender({
      spool,
      platform,
      timers,
      random: systemRandom,
      warn,
      dropsRefused: () => true,
    });
    await sender.finish(new AbortController().signal);
    const madeRoom = dropped.reduce((sum, count) => sum + count, 0);
    expect(madeRoom).toBeGreaterThan(0);
    expect(stored).toEqual(Array.from({ length: 25 - madeRoom }, (_, index) => madeRoom + index));
    await spool.written();
  });
});
