import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileSystem } from '#kernel/ports/file-system';
import { unwritable } from '#node/files/file-errors';
import { createMemoryPlatform, factsOf, startOutbox, watchedFileSystem } from '../../../helpers/activity-outbox.ts';
import { eventually } from '../../../helpers/eventually.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

async function linesBelow(folder: string): Promise<unknown[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.jsonl'));
  const texts = await Promise.all(files.sort().map((file) => readFile(path.join(folder, file), 'utf8')));
  return texts.flatMap((text) => text.split('\n').flatMap((line): unknown => (line === '' ? [] : JSON.parse(line))));
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

/** Carry out a write from beginning to end; resolves when it may be answered. */
async function write({ outbox }: ReturnType<typeof startOutbox>, recordId: string): Promise<void> {
  const note = await outbox.begin(factsOf('update', recordId));
  await note({ status: 'completed' });
}

/** A file system with a disk that can be full, or slow. */
function testDisk() {
  const appended: { readonly lines: number; readonly isDurable: boolean }[] = [];
  const disk = { failure: undefined as Error | undefined, gate: Promise.resolve(), appended };
  const fs = watchedFileSystem(async (file, text, isDurable) => {
    appended.push({ lines: text.trim().split('\n').length, isDurable });
    await disk.gate;
    if (disk.failure) throw unwritable(file, disk.failure);
  });
  return { disk, fs };
}

const fullDisk = Object.assign(new Error('full'), { code: 'ENOSPC' });

describe('the report of a write', () => {
  it('is on the disk before the write is answered', async () => {
    const folder = await temporaryFolder();
    const { disk, fs } = testDisk();
    const sending = startOutbox({ folder, platform: createMemoryPlatform(), fs });
    await write(sending, '1');
    await write(sending, '2');
    expect(await linesBelow(folder)).toContainEqual(expect.objectContaining({ recordIds: ['2'], status: 'completed' }));
    expect(disk.appended.every(({ isDurable }) => isDurable)).toBe(true);
  });

  it('is written together with those of the writes that end while the disk is busy', async () => {
    const { disk, fs } = testDisk();
    const sending = startOutbox({ folder: await temporaryFolder(), platform: createMemoryPlatform(), fs });
    await write(sending, 'first');
    const before = disk.appended.length;
    const busy = Promise.withResolvers<void>();
    disk.gate = busy.promise;
    const second = write(sending, 'second');
    await eventually(() => expect(disk.appended.length).toBe(before + 1));
    const answered = [second, ...Array.from({ length: 19 }, (_, id) => write(sending, String(id)))];
    busy.resolve();
    await Promise.all(answered);
    expect(disk.appended.slice(before).map(({ lines }) => lines)).toEqual([1, 19]);
  });

  it('waits two milliseconds for the others while many writes are under way', async () => {
    const { disk, fs } = testDisk();
    const sending = startOutbox({ folder: await temporaryFolder(), platform: createMemoryPlatform(), fs });
    await write(sending, 'first');
    const before = disk.appended.length;
    const notes = await Promise.all(numbers(20).map((id) => sending.outbox.begin(factsOf('update', id))));
    const [first, ...others] = notes.map((note) => () => note({ status: 'completed' }));
    const answered = [first?.()];
    await eventually(() => expect(sending.time.due).toContain(2));
    expect(disk.appended.length).toBe(before);
    answered.push(...others.map((end) => end()));
    sending.time.pass(2);
    await Promise.all(answered);
    expect(disk.appended.slice(before).map(({ lines }) => lines)).toEqual([20]);
  });

  it('waits for nothing where the option says so', async () => {
    const { disk, fs } = testDisk();
    const options = { folder: await temporaryFolder(), platform: createMemoryPlatform(), fs, durableWrites: false };
    const { outbox } = startOutbox(options);
    const note = outbox.begin(factsOf('update', '1'));
    expect(note).toEqual(expect.any(Function));
    expect((await note)({ status: 'completed' })).toBeUndefined();
    expect(disk.appended).toEqual([]);
  });

  it('arrives between the reads before it and after it', async () => {
    const platform = createMemoryPlatform();
    const sending = startOutbox({ folder: await temporaryFolder(), platform });
    for (const round of ['a', 'b', 'c']) {
      await sending.read(`read ${round}`);
      await write(sending, `write ${round}`);
    }
    await sending.read('last');
    await sending.outbox.stop(1_000);
    expect(platform.stored.flatMap(({ recordIds }) => recordIds)).toEqual(
      ['a', 'b', 'c'].flatMap((round) => [`read ${round}`, `write ${round}`]).concat('last'),
    );
    expect(platform.batches).toEqual([7]);
  });

  it('pushes out reads when the outbox is full; then writes are refused, until there is room', async () => {
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const sending = startOutbox({ folder: await temporaryFolder(), platform, maxBytes: 64 * 1024 });
    for (let id = 0; id < 1_000; id++) await sending.read(String(id));
    sending.time.pass(100);
    let answered = 0;
    await expect(
      (async () => {
        for (; answered < 1_000; answered++) await write(sending, `write ${answered}`);
      })(),
    ).rejects.toMatchObject({ code: 'ACTIVITY_NOT_RECORDED' });
    expect(answered).toBeGreaterThan(120);
    platform.isDown = false;
    await eventually(() => {
      sending.time.pass(60_000);
      expect(platform.stored.filter(({ type }) => type === 'write')).toHaveLength(answered);
    });
    expect(platform.stored.filter(({ type }) => type === 'read').length).toBeLessThan(50);
    await write(sending, 'later');
    await sending.outbox.stop(1_000);
    expect(platform.stored.at(-1)).toMatchObject({ recordIds: ['later'] });
  });

  it('a report that could not be written is written with the next one, which is refused as long as that fails', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const { disk, fs } = testDisk();
    const sending = startOutbox({ folder, platform, fs });
    await write(sending, '1');
    disk.failure = new Error('no such device');
    await write(sending, '2');
    await expect(write(sending, '3')).rejects.toMatchObject({ code: 'ACTIVITY_NOT_RECORDED' });
    disk.failure = undefined;
    await write(sending, '4');
    const written = await linesBelow(folder);
    expect(written).toContainEqual(expect.objectContaining({ recordIds: ['2'], status: 'completed' }));
    expect(written).not.toContainEqual(expect.objectContaining({ recordIds: ['3'] }));
    platform.isDown = false;
    await sending.outbox.stop(1_000);
    expect(platform.stored.map(({ recordIds }) => recordIds)).toEqual([['1'], ['2'], ['4']]);
  });

  it('takes the place of the reports of reads on a full disk', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const { disk, fs } = testDisk();
    let removed = 0;
    const freeing: FileSystem = {
      ...fs,
      remove: async (file) => {
        if (file.endsWith('.jsonl')) removed++;
        disk.failure = undefined;
        await fs.remove(file);
      },
    };
    const sending = startOutbox({ folder, platform, fs: freeing });
    await write(sending, 'first');
    await sending.read('read');
    sending.time.pass(100);
    await eventually(async () =>
      expect(await linesBelow(folder)).toContainEqual(expect.objectContaining({ type: 'read' })),
    );
    disk.failure = fullDisk;
    await write(sending, 'second');
    expect(removed).toBe(1);
    const written = await linesBelow(folder);
    expect(written).toContainEqual(expect.objectContaining({ recordIds: ['second'], status: 'completed' }));
    expect(written).not.toContainEqual(expect.objectContaining({ type: 'read' }));
    platform.isDown = false;
    await sending.outbox.stop(1_000);
    expect(platform.stored.map(({ recordIds }) => recordIds)).toEqual([['first'], ['read'], ['second']]);
  });

  it('stays, after its agent is gone, when another agent that took it over is full', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const gone = startOutbox({ folder, platform });
    await write(gone, 'left');
    await gone.outbox.stop(1_000);
    const next = startOutbox({ folder, platform, maxBytes: 64 * 1024 });
    await eventually(() => expect(next.time.due).toContain(10_000));
    for (let id = 0; id < 1_000; id++) await next.read(String(id));
    platform.isDown = false;
    await next.outbox.stop(5_000);
    expect(platform.stored.map(({ recordIds }) => recordIds)).toContainEqual(['left']);
    expect(platform.stored.length).toBeLessThan(300);
  });
});
