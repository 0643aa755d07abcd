import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMemoryPlatform, factsOf, startOutbox, watchedFileSystem } from '../../../helpers/activity-outbox.ts';
import { eventually } from '../../../helpers/eventually.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

async function linesBelow(folder: string): Promise<unknown[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.jsonl'));
  const texts = await Promise.all(files.sort().map((file) => readFile(path.join(folder, file), 'utf8')));
  return texts.flatMap((text) => text.split('\n').flatMap((line): unknown => (line === '' ? [] : JSON.parse(line))));
}

describe('an outbox whose records are required', () => {
  it('has a write in a file before it begins, and sends it once, with its outcome', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    const { outbox } = startOutbox({ folder, platform, isRequired: true });
    const note = await outbox.begin(factsOf('update', '4'));
    expect(await linesBelow(folder)).toMatchObject([{ status: 'pending', recordIds: ['4'] }]);
    void note({ status: 'failed' });
    await outbox.stop(1_000);
    expect(platform.stored).toMatchObject([{ action: 'update', status: 'failed' }]);
    expect(platform.batches).toEqual([1]);
    expect(await linesBelow(folder)).toEqual([]);
  });

  it('reports a write with an unknown outcome when its agent is gone', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    const gone = startOutbox({ folder, platform, isRequired: true });
    await gone.outbox.begin(factsOf('update', '4'));
    const settle = await gone.outbox.begin(factsOf('update', '5'));
    platform.isDown = true;
    void settle({ status: 'completed' });
    await gone.outbox.stop(1_000);
    expect(platform.stored).toEqual([]);
    platform.isDown = false;
    const { outbox } = startOutbox({ folder, platform, isRequired: true });
    await outbox.stop(1_000);
    expect(platform.stored).toMatchObject([
      { recordIds: ['4'], status: 'pending' },
      { recordIds: ['5'], status: 'completed' },
    ]);
  });

  it('refuses a write while there is no room, drops reads instead of what it has, and goes on once there is room', async () => {
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const options = { folder: await temporaryFolder(), platform, isRequired: true, maxBytes: 64 * 1024 };
    const { outbox, read, time } = startOutbox(options);
    const note = await outbox.begin(factsOf('update', 'first'));
    void note({ status: 'completed' });
    for (let id = 0; id < 1_000; id++) await read(String(id));
    time.pass(100);
    await expect(outbox.begin(factsOf('update', '1'))).rejects.toMatchObject({ code: 'ACTIVITY_NOT_RECORDED' });
    platform.isDown = false;
    await eventually(() => {
      time.pass(500);
      expect(platform.stored.length).toBeGreaterThan(150);
    });
    expect(platform.stored[0]).toMatchObject({ recordIds: ['first'], status: 'completed' });
    const later = await outbox.begin(factsOf('update', '2'));
    void later({ status: 'completed' });
    await outbox.stop(1_000);
    expect(platform.stored.at(-1)).toMatchObject({ recordIds: ['2'], status: 'completed' });
  });

  it('has room again for what was sent, although its outcome could not be written', async () => {
    const platform = createMemoryPlatform();
    const disk = { isFull: false, refusals: 0 };
    const fs = watchedFileSystem(async () => {
      if (!disk.isFull) return;
      disk.refusals++;
      throw new Error('full');
    });
    const folder = await temporaryFolder();
    const { outbox, time } = startOutbox({ folder, platform, fs, isRequired: true, maxBytes: 64 * 1024 });
    for (let round = 1; round <= 15; round++) {
      disk.isFull = false;
      const begun = Array.from({ length: 20 }, (_, id) => outbox.begin(factsOf('update', `${round}-${id}`)));
      const notes = await Promise.all(begun);
      disk.isFull = true;
      for (const note of notes) void note({ status: 'completed' });
      await eventually(() => expect(disk.refusals).toBeGreaterThanOrEqual(round));
      await eventually(() => {
        time.pass(500);
        expect(platform.stored).toHaveLength(20 * round);
      });
    }
    expect(new Set(platform.stored.map(({ status }) => status))).toEqual(new Set(['completed']));
    await outbox.stop(1_000);
    expect(await linesBelow(folder)).toEqual([]);
  });

  it('refuses a write where nothing can be written, and lets reads pass', async () => {
    const file = path.join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    const platform = createMemoryPlatform();
    const { outbox, read } = startOutbox({ folder: path.join(file, 'below'), platform, isRequired: true });
    await expect(outbox.begin(factsOf('update', '1'))).rejects.toMatchObject({ code: 'ACTIVITY_NOT_RECORDED' });
    await read('1');
    await outbox.stop(1_000);
    expect(platform.stored).toMatchObject([{ action: 'read' }]);
  });
});

describe('a write of the MCP server, where no record is required', () => {
  const byMcp = { ...factsOf('update', '1'), source: 'mcp' as const };

  it('is in a file before it begins', async () => {
    const folder = await temporaryFolder();
    const { outbox } = startOutbox({ folder, platform: createMemoryPlatform() });
    const note = await outbox.begin(byMcp);
    expect(await linesBelow(folder)).toMatchObject([{ status: 'pending', source: 'mcp' }]);
    void note({ status: 'completed' });
  });

  it('is refused where nothing can be written, while others pass that need not be on the disk', async () => {
    const file = path.join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    const options = { folder: path.join(file, 'below'), platform: createMemoryPlatform(), durableWrites: false };
    const { outbox } = startOutbox(options);
    await expect(outbox.begin(byMcp)).rejects.toMatchObject({ code: 'ACTIVITY_NOT_RECORDED' });
    expect(outbox.begin(factsOf('update', '1'))).toEqual(expect.any(Function));
  });

  it('stays when older and newer reports are dropped to make room', async () => {
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const options = { folder: await temporaryFolder(), platform, maxBytes: 64 * 1024 };
    const { outbox, read, time } = startOutbox(options);
    const note = await outbox.begin(byMcp);
    void note({ status: 'completed' });
    for (let id = 0; id < 1_000; id++) await read(String(id));
    time.pass(100);
    platform.isDown = false;
    await outbox.stop(10_000);
    expect(platform.stored[0]).toMatchObject({ action: 'update', source: 'mcp', status: 'completed' });
    expect(platform.stored.length).toBeLessThan(500);
  });
});
