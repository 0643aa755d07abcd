import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchFiles } from '#project/index';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

async function watched(files: Record<string, string>) {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  const waiting: ((paths: readonly string[]) => void)[] = [];
  const told: string[] = [];
  const watcher = await watchFiles([path.join(folder, 'src')], {
    onStir: () => told.push('stir'),
    onChange: (paths, isAsAtStir) => {
      told.push(isAsAtStir ? 'change, as at stir' : 'change');
      waiting.shift()?.(paths);
    },
    onError: (error) => {
      throw error;
    },
  });
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
    const { folder, nextChange, told } = await watched({ 'src/a.ts': '1', 'src/b.ts': '1' });
    const alone = nextChange();
    await writeFile(path.join(folder, 'src/a.ts'), '2');
    await alone;
    expect(told).toEqual(['stir', 'change, as at stir']);
    const together = nextChange();
    await Promise.all([writeFile(path.join(folder, 'src/b.ts'), '2'), writeFile(path.join(folder, 'src/c.ts'), '2')]);
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
