import { once } from 'node:events';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '#node/files/node-file-system';
import { type ScaffoldInput, scaffoldProject } from '#project/index';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

async function prepare(change: Partial<ScaffoldInput> = {}) {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'template/vendor-cloud.json': '{"name":"{{name}}"}',
    'template/env': 'SERVICE_ENV_SECRET={{envSecret}}\n',
    'template/gitignore': '.env\n',
    'template/src/index.ts': 'const kept = "{{unknown}}";',
    'package/package.json': '{}',
  });
  const target = path.join(folder, 'made');
  const input: ScaffoldInput = {
    template: path.join(folder, 'template'),
    target,
    packageRoot: path.join(folder, 'package'),
    values: { name: 'shop', envSecret: 'abc' },
    complete: async () => undefined,
    onInterrupt: () => () => undefined,
    ...change,
  };
  return { folder, target, input };
}

describe('scaffoldProject', () => {
  it('renders the template, restores the hidden names and links the package', async () => {
    const { target, input } = await prepare();
    await scaffoldProject(nodeFileSystem, input);
    expect(await readFile(path.join(target, 'vendor-cloud.json'), 'utf8')).toBe('{"name":"shop"}');
    expect(await readFile(path.join(target, '.gitignore'), 'utf8')).toBe('.env\n');
    expect(await readFile(path.join(target, 'src/index.ts'), 'utf8')).toContain('{{unknown}}');
    expect(await readFile(path.join(target, 'node_modules/@vendor/cloud/package.json'), 'utf8')).toBe('{}');
    expect((await stat(path.join(target, '.env'))).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing behind when the work in the folder fails', async () => {
    const { folder, input } = await prepare({ complete: () => Promise.reject(new Error('no database')) });
    await expect(scaffoldProject(nodeFileSystem, input)).rejects.toThrow('no database');
    expect((await readdir(folder)).sort()).toEqual(['package', 'template']);
  });

  it('gives its work up when it is interrupted, and leaves nothing behind', async () => {
    let interrupt = () => Promise.resolve();
    const { folder, input } = await prepare({
      onInterrupt: (cleanup) => {
        interrupt = cleanup;
        return () => undefined;
      },
      // It goes on writing for a moment after the interruption.
      complete: async (made, signal) => {
        setImmediate(() => void interrupt());
        await once(signal, 'abort');
        await writeFiles(made, { 'typings.d.ts': 'export {};' });
      },
    });
    await expect(scaffoldProject(nodeFileSystem, input)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect((await readdir(folder)).sort()).toEqual(['package', 'template']);
  });

  it('refuses a folder that holds something', async () => {
    const { folder, input } = await prepare();
    await writeFiles(folder, { 'made/mine.txt': 'precious' });
    await expect(scaffoldProject(nodeFileSystem, input)).rejects.toMatchObject({ code: 'PROJECT_EXISTS' });
    expect(await readdir(path.join(folder, 'made'))).toEqual(['mine.txt']);
  });

  it('refuses a file in the place of the folder, and keeps it', async () => {
    const { folder, input } = await prepare();
    await writeFiles(folder, { made: 'precious' });
    await expect(scaffoldProject(nodeFileSystem, input)).rejects.toMatchObject({
      code: 'PROJECT_EXISTS',
      message: expect.stringContaining('is a file'),
    });
    expect(await readFile(path.join(folder, 'made'), 'utf8')).toBe('precious');
  });

  it('fills an empty folder without replacing it, and keeps a git repository', async () => {
    const { target, input } = await prepare();
    await writeFiles(target, { '.git/HEAD': 'ref: refs/heads/main' });
    const { ino } = await stat(target);
    await scaffoldProject(nodeFileSystem, input);
    expect((await stat(target)).ino).toBe(ino);
    expect(await readdir(target)).toEqual(['.env', '.git', '.gitignore', 'node_modules', 'src', 'vendor-cloud.json']);
  });

  it('leaves an empty folder empty when the work in it fails', async () => {
    const { target, input } = await prepare({ complete: () => Promise.reject(new Error('no database')) });
    await mkdir(target);
    await expect(scaffoldProject(nodeFileSystem, input)).rejects.toThrow('no database');
    expect(await readdir(target)).toEqual([]);
  });
});
