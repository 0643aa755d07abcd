import { appendFile, readdir, readFile, truncate } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { createMemoryPlatform, factsOf, startOutbox } from '../../../helpers/activity-outbox.ts';
import { eventually } from '../../../helpers/eventually.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

async function filesBelow(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true });
  return files.filter((file) => file.endsWith('.jsonl')).map((file) => path.join(folder, file));
}

/** Report one act on this many records. */
async function update({ outbox }: ReturnType<typeof startOutbox>, recordIds: readonly string[]): Promise<void> {
  const note = await outbox.begin({ ...factsOf('update'), recordIds: undefined });
  await note({ status: 'completed', recordIds });
}

describe('an act on many records', () => {
  it('arrives whole, in batches below 512 KiB', async () => {
    const platform = createMemoryPlatform();
    const sending = startOutbox({ folder: await temporaryFolder(), platform });
    const long = numbers(9_000).map((id) => id.padStart(300, 'x'));
    await update(sending, ['before']);
    await update(sending, long);
    await update(sending, ['after']);
    await sending.outbox.stop(5_000);
    expect(platform.stored.map((act) => platform.idsOf(act))).toEqual([['before'], long, ['after']]);
    expect(platform.stored[1]).toMatchObject({ recordCount: 9_000 });
    expect(platform.batches.length).toBeGreaterThan(5);
    expect(platform.largestBytes).toBeLessThan(512 * 1024);
  });

  it('goes on where it was when the platform stopped answering in its midst', async () => {
    const platform = createMemoryPlatform();
    const sending = startOutbox({ folder: await temporaryFolder(), platform });
    const accept = platform.reportActivities;
    platform.reportActivities = async (entries) => {
      await accept(entries);
      // The first batch is stored, but the answer gets lost.
      if (platform.batches.length === 2) throw new Error('cut');
    };
    const ids = numbers(200_000);
    await update(sending, ids);
    await eventually(() => {
      sending.time.pass(60_000);
      expect(platform.stored.flatMap(platform.idsOf)).toHaveLength(ids.length);
    });
    expect(platform.stored.flatMap(platform.idsOf)).toEqual(ids);
    await sending.outbox.stop(1_000);
    expect(platform.stored).toHaveLength(1);
  });

  it('arrives whole from the files of an agent that is gone', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const gone = startOutbox({ folder, platform, isRequired: true });
    const ids = numbers(20_500);
    await update(gone, ids);
    await gone.outbox.stop(1_000);
    platform.isDown = false;
    await startOutbox({ folder, platform }).outbox.stop(5_000);
    expect(platform.stored.map((act) => platform.idsOf(act))).toEqual([ids]);
    expect(platform.stored).toMatchObject([{ status: 'completed', recordCount: 20_500 }]);
  });

  it('keeps what a crash left of it, and no ids without their report', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const gone = startOutbox({ folder, platform });
    await update(gone, numbers(3_000));
    await gone.outbox.stop(1_000);
    const [file = ''] = await filesBelow(folder);
    const written = await readFile(file, 'utf8');
    await truncate(file, Buffer.byteLength(written) - 100);
    await appendFile(file, `\n${JSON.stringify({ id: crypto.randomUUID(), part: 1, recordIds: ['5'] })}\n`);
    platform.isDown = false;
    const next = startOutbox({ folder, platform });
    await next.outbox.stop(1_000);
    expect(platform.stored).toMatchObject([{ status: 'completed', recordCount: 3_000 }]);
    expect(platform.stored.flatMap(platform.idsOf)).toEqual(numbers(2_000));
    expect(next.warnings).toMatchObject([{ fields: { unreadable: 2 } }]);
  });

  it('is dropped whole when the outbox is full', async () => {
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const sending = startOutbox({
      folder: await temporaryFolder(),
      platform,
      maxBytes: 256 * 1024,
      durableWrites: false,
    });
    for (let act = 0; act < 10; act++) await update(sending, numbers(10_000));
    platform.isDown = false;
    await sending.outbox.stop(5_000);
    expect(platform.stored.length).toBeGreaterThan(2);
    expect(platform.stored.length).toBeLessThan(5);
    for (const act of platform.stored) expect(platform.idsOf(act)).toEqual(numbers(10_000));
    expect(sending.warnings).toMatchObject([{ fields: { dropped: expect.any(Number) } }]);
  });

  it('keeps its report and the first ids when all of them are more than the outbox holds', async () => {
    const platform = createMemoryPlatform();
    const sending = startOutbox({
      folder: await temporaryFolder(),
      platform,
      maxBytes: 64 * 1024,
      durableWrites: false,
    });
    await update(sending, numbers(100_000));
    await sending.outbox.stop(1_000);
    expect(platform.stored).toMatchObject([{ recordCount: 100_000 }]);
    expect(platform.stored.flatMap(platform.idsOf)).toEqual(numbers(1_000));
    expect(sending.warnings).toMatchObject([{ fields: { continuations: 99 } }]);
  });

  it('keeps all its ids where records are required, however small the outbox', async () => {
    const platform = createMemoryPlatform();
    const sending = startOutbox({ folder: await temporaryFolder(), platform, maxBytes: 64 * 1024, isRequired: true });
    await update(sending, numbers(100_000));
    await sending.outbox.stop(5_000);
    expect(platform.stored.flatMap(platform.idsOf)).toEqual(numbers(100_000));
  });

  it('is dropped from the entry on that the platform refuses, and the acts behind it arrive', async () => {
    const platform = createMemoryPlatform();
    const sending = startOutbox({ folder: await temporaryFolder(), platform });
    const accept = platform.reportActivities;
    platform.reportActivities = async (entries) => {
      if (entries.some((entry) => entry.includes('"3333"'))) throw refusal;
      await accept(entries);
    };
    await update(sending, numbers(6_000));
    await update(sending, ['after']);
    await sending.outbox.stop(5_000);
    expect(platform.stored.map((act) => platform.idsOf(act))).toEqual([numbers(3_000), ['after']]);
  });
});

const refusal = cloudError('PLATFORM_REFUSED', 'No.', 'Send something else.', { safeDetails: { status: 422 } });
