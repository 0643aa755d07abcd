import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FileSystem } from '#kernel/ports/file-system';
import { nodeFileSystem } from '#node/files/node-file-system';
import { systemRandom } from '#node/system/system-random';
import type { ActivityPlatform } from '#runtime/activity/activity-sender';
import { createMemoryPlatform, startOutbox } from '../../../helpers/activity-outbox.ts';
import { eventually } from '../../../helpers/eventually.ts';
import { createManualTime } from '../../../helpers/manual-time.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

async function filesBelow(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files.filter((file) => file.endsWith('.jsonl'));
}

async function linesBelow(folder: string): Promise<string[]> {
  const texts = await Promise.all(
    (await filesBelow(folder)).sort().map((file) => readFile(path.join(folder, file), 'utf8')),
  );
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

/** A file system that notes the records of each line that is added to a file. */
function noting() {
  const lines: string[] = [];
  const fs: FileSystem = {
    ...nodeFileSystem,
    append: (file, content, options) => {
      lines.push(...Buffer.from(content).toString().trim().split('\n'));
      return nodeFileSystem.append(file, content, options);
    },
  };
  return { fs, written: () => lines.map((line) => JSON.parse(line).recordIds) };
}

describe('the outbox of activities', () => {
  it('sends what is recorded in order, a batch at a time, and keeps nothing of it', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    const { read, time } = startOutbox({ folder, platform });
    for (const id of numbers(1_203)) await read(id);
    time.pass(0);
    await eventually(() => expect(platform.batches).toEqual([500, 500]));
    time.pass(100);
    await eventually(async () => expect(await linesBelow(folder)).toHaveLength(203));
    expect(platform.batches).toEqual([500, 500]);
    await eventually(() => {
      time.pass(500);
      expect(platform.batches).toEqual([500, 500, 203]);
    });
    expect(platform.stored.flatMap(({ recordIds }) => recordIds)).toEqual(numbers(1_203));
    expect(platform.stored[0]).toMatchObject({ type: 'read', action: 'read', recordCount: 1, status: 'completed' });
    await eventually(async () => expect(await filesBelow(folder)).toEqual([]));
  });

  it('encodes fifty reports at a time, long before their batch is full', async () => {
    const platform = createMemoryPlatform();
    let encoded = 0;
    const orderedUuid = () => {
      encoded++;
      return systemRandom.orderedUuid();
    };
    const options = { folder: await temporaryFolder(), platform, random: { ...systemRandom, orderedUuid } };
    const { read, time } = startOutbox(options);
    encoded = 0;
    for (const id of numbers(49)) await read(id);
    time.pass(0);
    expect(encoded).toBe(0);
    await read('49');
    time.pass(0);
    expect(encoded).toBe(50);
    for (const id of numbers(450)) await read(id);
    time.pass(0);
    await eventually(() => expect(platform.batches).toEqual([500]));
    expect(encoded).toBe(500);
    expect(platform.stored.slice(48, 51).map(({ recordIds }) => recordIds)).toEqual([['48'], ['49'], ['0']]);
  });

  it('writes down what does not fill a batch after a tenth of a second, and sends it half a second later', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    const { read, time } = startOutbox({ folder, platform });
    for (const id of numbers(499)) await read(id);
    time.pass(99);
    expect(await filesBelow(folder)).toEqual([]);
    time.pass(1);
    await eventually(async () => expect(await linesBelow(folder)).toHaveLength(499));
    time.pass(499);
    expect(platform.batches).toEqual([]);
    time.pass(1);
    await eventually(() => expect(platform.batches).toEqual([499]));
  });

  it('writes down only what has waited, and leaves what came later to the next batch', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    const { read, time } = startOutbox({ folder, platform });
    await read('early');
    time.pass(60);
    for (const id of numbers(498)) await read(id);
    time.pass(40);
    await eventually(async () => expect(await linesBelow(folder)).toHaveLength(1));
    for (const id of ['second last', 'last']) await read(id);
    time.pass(0);
    await eventually(() => expect(platform.batches).toEqual([500]));
    expect(platform.stored[0]).toMatchObject({ recordIds: ['early'] });
  });

  it('writes nothing of what it has sent before', async () => {
    const platform = createMemoryPlatform();
    const { fs, written } = noting();
    const { outbox, read, time } = startOutbox({ folder: await temporaryFolder(), platform, fs });
    for (const id of numbers(500)) await read(id);
    time.pass(0);
    await eventually(() => expect(platform.stored).toHaveLength(500));
    await read('last');
    await outbox.stop(1_000);
    expect(written()).toEqual([['last']]);
    expect(platform.stored).toHaveLength(501);
  });

  it('writes nothing of a batch that the platform takes between two looks', async () => {
    const platform = createMemoryPlatform();
    const { fs, written } = noting();
    const takes = Promise.withResolvers<void>();
    let asked = 0;
    const busy: ActivityPlatform = {
      reportActivities: async (entries) => {
        asked++;
        await takes.promise;
        await platform.reportActivities(entries);
      },
    };
    const { outbox, read, time } = startOutbox({ folder: await temporaryFolder(), platform: busy, fs });
    for (const id of numbers(500)) await read(id);
    time.pass(0);
    await eventually(() => expect(asked).toBe(1));
    time.pass(50);
    takes.resolve();
    await eventually(() => expect(platform.stored).toHaveLength(500));
    time.pass(50);
    await outbox.stop(1_000);
    expect(written()).toEqual([]);
  });

  it('writes down at a look what the last one saw, although it is in a batch by now', async () => {
    const folder = await temporaryFolder();
    const never: ActivityPlatform = {
      reportActivities: (_entries, signal) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    };
    const { outbox, read, time } = startOutbox({ folder, platform: never });
    await read('early');
    time.pass(50);
    for (const id of numbers(499)) await read(id);
    time.pass(0);
    time.pass(50);
    await eventually(async () => expect(await linesBelow(folder)).toHaveLength(500));
    await outbox.stop(0);
  });

  it('writes everything down where the platform takes its time', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    const slow: ActivityPlatform = {
      reportActivities: (_entries, signal) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    };
    const { read, time } = startOutbox({ folder, platform: slow });
    for (const id of numbers(700)) await read(id);
    time.pass(100);
    await eventually(async () => expect(await linesBelow(folder)).toHaveLength(700));
    // The process ends here; the next one finds all of them.
    time.pass(31_000);
    const { outbox } = startOutbox({ folder, platform }, time);
    await outbox.stop(1_000);
    expect(platform.stored.flatMap(({ recordIds }) => recordIds)).toEqual(numbers(700));
  });

  it('shows its files to their owner only', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const { outbox, read } = startOutbox({ folder, platform });
    await read('1');
    await outbox.stop(1_000);
    const [file = ''] = await filesBelow(folder);
    expect((await stat(path.join(folder, file))).mode & 0o777).toBe(0o600);
  });

  it('tries again after pauses that grow to a minute while the platform is down, and warns once a minute', async () => {
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const { read, time, warnings } = startOutbox({ folder: await temporaryFolder(), platform });
    await read('1');
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 9; attempt++) {
      // The other timer is the one that looks after the files, every ten seconds.
      await eventually(() => {
        if (platform.batches.length < attempt) time.pass(500);
        expect(platform.batches).toHaveLength(attempt);
      });
      await eventually(() => expect(time.due.length).toBe(2));
      pauses.push(Math.max(...time.due));
      time.pass(Math.max(...time.due));
    }
    expect(pauses.slice(4).every((pause, index) => pause >= Math.min(30_000, 8_000 * 2 ** index))).toBe(true);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000);
    expect(warnings.length).toBeLessThan(9);
    platform.isDown = false;
    await eventually(() => {
      time.pass(60_000);
      expect(platform.stored).toHaveLength(1);
    });
  });

  it('sends what was left when it stopped, once it starts again', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const first = startOutbox({ folder, platform });
    await first.read('1');
    await first.read('2');
    await first.outbox.stop(1_000);
    expect(await linesBelow(folder)).toHaveLength(2);
    platform.isDown = false;
    const { outbox } = startOutbox({ folder, platform });
    await outbox.stop(1_000);
    expect(platform.stored.flatMap(({ recordIds }) => recordIds)).toEqual(['1', '2']);
    const [shared = ''] = await readdir(folder);
    expect(await readdir(path.join(folder, shared))).toEqual(['.gitignore']);
  });

  it.each([{ envSecret: 'f'.repeat(64) }, { serverUrl: 'https://other.test' }])(
    'sends nothing that an agent of another environment or platform has left: %j',
    async (other) => {
      const folder = await temporaryFolder();
      const platform = createMemoryPlatform();
      platform.isDown = true;
      const first = startOutbox({ folder, platform });
      await first.read('1');
      await first.outbox.stop(1_000);
      platform.isDown = false;
      await startOutbox({ folder, platform, ...other }).outbox.stop(1_000);
      expect(platform.stored).toEqual([]);
      await startOutbox({ folder, platform }).outbox.stop(1_000);
      expect(platform.stored).toHaveLength(1);
    },
  );

  it('goes on with what is left when it is started again itself', async () => {
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const { outbox, read } = startOutbox({ folder: await temporaryFolder(), platform });
    await read('1');
    await outbox.stop(1_000);
    platform.isDown = false;
    outbox.start();
    await read('2');
    await outbox.stop(1_000);
    expect(platform.stored.flatMap(({ recordIds }) => recordIds)).toEqual(['1', '2']);
  });

  it('leaves what it took over and could not read to the next', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const first = startOutbox({ folder, platform });
    await first.read('1');
    await first.outbox.stop(1_000);
    platform.isDown = false;
    const fs = { ...nodeFileSystem, listDeep: () => Promise.reject(new Error('unreadable')) };
    const unable = startOutbox({ folder, platform, fs });
    await unable.outbox.stop(1_000);
    expect(platform.stored).toEqual([]);
    const { outbox } = startOutbox({ folder, platform });
    await outbox.stop(1_000);
    expect(platform.stored).toHaveLength(1);
  });

  it('takes over from an agent that crashed, except for a line that was not finished', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const crashed = startOutbox({ folder, platform });
    await crashed.read('1');
    crashed.time.pass(100);
    await eventually(async () => expect(await linesBelow(folder)).toHaveLength(1));
    const [file = ''] = await filesBelow(folder);
    await writeFile(path.join(folder, file), '{"id":"3b9', { flag: 'a' });
    platform.isDown = false;

    const time = createManualTime();
    const early = startOutbox({ folder, platform }, time);
    await early.outbox.stop(1_000);
    expect(platform.stored).toEqual([]);
    time.pass(31_000);
    const { outbox, warnings } = startOutbox({ folder, platform }, time);
    await outbox.stop(1_000);
    expect(platform.stored.flatMap(({ recordIds }) => recordIds)).toEqual(['1']);
    expect(warnings).toMatchObject([{ fields: { unreadable: 1 } }]);
    expect(await filesBelow(folder)).toEqual([]);
  });

  it('clears away what an agent left when it was killed before it had a lease', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    const time = createManualTime();
    platform.isDown = true;
    const waiting = startOutbox({ folder, platform }, time);
    await waiting.read('1');
    time.pass(100);
    await eventually(async () => expect(await linesBelow(folder)).toHaveLength(1));
    const [environment = ''] = await readdir(folder);
    const killed = path.join(folder, environment, '3b9c1c0e-0000-4000-8000-000000000000');
    await mkdir(killed);
    await writeFile(path.join(killed, 'lease.1234'), '17');
    for (const isThere of [true, true, false]) {
      const { outbox } = startOutbox({ folder, platform }, time);
      await outbox.stop(0);
      expect([existsSync(killed), isThere]).toEqual([isThere, isThere]);
      time.pass(15_000);
    }
    platform.isDown = false;
    await waiting.outbox.stop(1_000);
    expect(await filesBelow(folder)).toEqual([]);
  });

  it('shares a folder with other agents', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const time = createManualTime();
    const agents = numbers(4).map(() => startOutbox({ folder, platform }, time));
    await Promise.all(agents.flatMap(({ read }) => numbers(50).map((id) => read(id))));
    time.pass(100);
    await eventually(async () => expect(await linesBelow(folder)).toHaveLength(200));
    platform.isDown = false;
    // All stop at once while two more start and look for what is left.
    const others = [startOutbox({ folder, platform }, time), startOutbox({ folder, platform }, time)];
    await Promise.all([...agents, ...others].map(({ outbox }) => outbox.stop(5_000)));
    expect(platform.stored).toHaveLength(200);
    expect(await filesBelow(folder)).toEqual([]);
  });

  it('drops the oldest when it is full, and says how many, once a minute', async () => {
    const folder = await temporaryFolder();
    const platform = createMemoryPlatform();
    platform.isDown = true;
    const maxBytes = 64 * 1024;
    const { outbox, read, warnings } = startOutbox({ folder, platform, maxBytes });
    for (const id of numbers(1_000)) await read(id);
    platform.isDown = false;
    await outbox.stop(5_000);
    const kept = platform.stored.flatMap(({ recordIds }) => recordIds);
    expect(kept).toEqual(numbers(1_000).slice(-kept.length));
    expect(kept.length).toBeGreaterThan(150);
    expect(Buffer.byteLength(platform.stored.map((stored) => `${JSON.stringify(stored)}\n`).join(''))).toBeLessThan(
      maxBytes,
    );
    expect(warnings).toHaveLength(1);
    expect(warnings).toMatchObject([{ fields: { dropped: expect.any(Number) } }]);
  });

  it('sends from memory where nothing can be written, and says so', async () => {
    const file = path.join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    const platform = createMemoryPlatform();
    const { outbox, read, warnings } = startOutbox({ folder: path.join(file, 'below'), platform });
    await read('1');
    await outbox.stop(1_000);
    expect(platform.stored).toHaveLength(1);
    expect(warnings).toMatchObject([{ fields: { error: { code: 'MACHINE_FILE_NOT_WRITABLE' } } }]);
  });
});
