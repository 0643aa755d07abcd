import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reportsChanges, watchFiles } from '#project/index';
import type { WatchOptions } from '#project/watcher';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

async function watched(files: Record<string, string>, options: WatchOptions = {}) {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  const waiting: ((paths: readonly string[]) => void)[] = [];
  const told: string[] = [];
  const watcher = await watchFiles(
    [path.join(folder, 'src')],
    {
      onStir: () => told.push('stir'),
      onChange: (paths, isAsAtStir) => {
        told.push(isAsAtStir ? 'change, as at stir' : 'change');
        waiting.shift()?.(paths);
      },
      onPolling: (reason) => told.push(`polling: ${reason}`),
      onError: (error) => told.push(String(error)),
    },
    options,
  );
  onTestFinished(() => watcher.close());
  const nextChange = () => new Promise<readonly string[]>((resolve) => waiting.push(resolve));
  return { folder, nextChange, told, watcher };
}

describe('watchFiles', () => {
  it('tells of a file that changed', async () => {
    const { folder, nextChange } = await watched({ 'src/a.ts': '1' });
    const change = nextChange();
    await writeFile(path.join(folder, 'src/a.ts'), '2');
    expect(await change).toEqual([path.join(folder, 'src/a.ts')]);
  });

  it('tells when a file begins to change, and whether that was all', async () => {
    const opened: FSWatcher[] = [];
    const open: WatchOptions['open'] = (_, options) => {
      const deaf = watch([], options);
      opened.push(deaf);
      return deaf;
    };
    const { folder, nextChange, told } = await watched({ 'src/a.ts': '1', 'src/b.ts': '1' }, { open });
    // The system reports two files as far apart as it likes, so the test reports them.
    const report = (name: string) => {
      const file = path.join(folder, 'src', name);
      opened[0]?.emit('all', 'change', file, statSync(file));
    };
    const single = nextChange();
    report('a.ts');
    expect(await single).toHaveLength(1);
    expect(told).toEqual(['stir', 'change, as at stir']);
    const together = nextChange();
    report('b.ts');
    writeFileSync(path.join(folder, 'src/a.ts'), '22');
    report('a.ts');
    expect(await together).toHaveLength(2);
    expect(told.slice(2)).toEqual(['stir', 'change']);
  });

  it('tells of a file that an editor replaced by renaming another over it', async () => {
    const { folder, nextChange } = await watched({ 'src/a.ts': '1' });
    await writeFile(path.join(folder, 'new'), '2');
    const change = nextChange();
    await rename(path.join(folder, 'new'), path.join(folder, 'src/a.ts'));
    expect(await change).toEqual([path.join(folder, 'src/a.ts')]);
  });

  it('tells of a file that was added, and of one that was removed', async () => {
    const { folder, nextChange } = await watched({ 'src/a.ts': '1' });
    const added = nextChange();
    await writeFile(path.join(folder, 'src/b.ts'), '2');
    expect(await added).toEqual([path.join(folder, 'src/b.ts')]);
    const removed = nextChange();
    await rm(path.join(folder, 'src/b.ts'));
    expect(await removed).toEqual([path.join(folder, 'src/b.ts')]);
  });

  it('watches what is added later', async () => {
    const { folder, nextChange, watcher } = await watched({ 'src/a.ts': '1', 'shared/c.ts': '1' });
    watcher.add([path.join(folder, 'shared/c.ts')]);
    const change = nextChange();
    // The file is watched once the system has it; writing until it is seen is the only sign there is.
    const writing = setInterval(() => void writeFile(path.join(folder, 'shared/c.ts'), String(performance.now())), 50);
    onTestFinished(() => clearInterval(writing));
    expect(await change).toEqual([path.join(folder, 'shared/c.ts')]);
  });
});

describe('a file system that reports no changes', () => {
  it('has its files looked at, which is said once, and loses no change made since the start', async () => {
    const probe = Promise.withResolvers<boolean>();
    // Nobody learns about the change that comes before the answer of the probe: that watcher is deaf.
    const open: WatchOptions['open'] = (paths, options) => watch(options.usePolling ? paths : [], options);
    const { folder, nextChange, told, watcher } = await watched(
      { 'src/a.ts': '1', 'shared/c.ts': '1' },
      { probe: () => probe.promise, open },
    );
    const old = new Date(Date.now() - 60_000);
    await Promise.all(['src/a.ts', 'shared/c.ts'].map((file) => utimes(path.join(folder, file), old, old)));
    watcher.add([path.join(folder, 'shared/c.ts')]);
    await writeFile(path.join(folder, 'src/b.ts'), 'early');
    const missed = nextChange();
    probe.resolve(false);
    expect(await missed).toEqual([path.join(folder, 'src/b.ts')]);
    expect(told[0]).toBe('polling: silent');
    const later = nextChange();
    await writeFile(path.join(folder, 'shared/c.ts'), 'changed');
    expect(await later).toEqual([path.join(folder, 'shared/c.ts')]);
    expect(told.filter((each) => each.startsWith('polling'))).toHaveLength(1);
  });
});

describe('a system without file watches left', () => {
  it.each(['ENOSPC', 'EMFILE'] as const)('has the files looked at (%s)', async (code) => {
    const opened: FSWatcher[] = [];
    const open: WatchOptions['open'] = (paths, options) => {
      const watcher = watch(paths, options);
      opened.push(watcher);
      return watcher;
    };
    const { folder, nextChange, told } = await watched({ 'src/a.ts': '1' }, { open });
    opened[0]?.emit('error', Object.assign(new Error(`${code}: no watches left`), { code }));
    opened[0]?.emit('error', Object.assign(new Error('another file'), { code }));
    expect(told).toEqual([`polling: ${code}`]);
    expect(opened.map(({ options }) => options.usePolling)).toEqual([false, true]);
    const change = nextChange();
    await once(opened[1] ?? watch([]), 'ready');
    await writeFile(path.join(folder, 'src/a.ts'), 'changed');
    expect(await change).toEqual([path.join(folder, 'src/a.ts')]);
  });
});

describe('the probe of a file system', () => {
  it('finds that changes are reported, and leaves nothing behind', async () => {
    const folder = await temporaryFolder();
    expect(await reportsChanges(folder)).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  it('finds that none are', async () => {
    const folder = await temporaryFolder();
    expect(await reportsChanges(folder, { listen: () => () => undefined, waitMs: 20 })).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });
});
