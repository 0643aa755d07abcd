import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { installedPackage } from '../helpers/installed-package.ts';

/** What a project has of native code, and would have without this package too. */
const counted = (name: string) => !['better-sqlite3', 'esbuild', '@esbuild'].includes(name);

/** Bytes that a folder takes on the disk; what commands compiled is left out. */
async function sizeOf(folder: string): Promise<number> {
  const entries = (await readdir(folder)).filter((name) => name !== '.compile-cache');
  const sizes = entries.map(async (name) => {
    const file = path.join(folder, name);
    const { blocks, isDirectory } = await lstat(file).then((stat) => ({ ...stat, isDirectory: stat.isDirectory() }));
    return blocks * 512 + (isDirectory ? await sizeOf(file) : 0);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

it('a project gets 30 MB at most, besides better-sqlite3 and esbuild, and few packages', async () => {
  const modules = path.join(installedPackage().folder, 'node_modules');
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.') && counted(name));
  const sizes = await Promise.all(names.map((name) => sizeOf(path.join(modules, name))));
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  expect(megabytes).toBeGreaterThan(5);
  expect(megabytes).toBeLessThanOrEqual(30);
  expect(names.length).toBeLessThanOrEqual(10);
});
