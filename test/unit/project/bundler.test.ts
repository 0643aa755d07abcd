import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withVariable } from '#node/environment/process-environment';
import { nodeFileSystem } from '#node/files/node-file-system';
import { bundleOnce, createBundler } from '#project/index';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

async function bundlerOf(files: Record<string, string>) {
  const root = await temporaryFolder();
  await writeFiles(root, files);
  const bundler = await createBundler(
    { fs: nodeFileSystem, withVariable },
    { root, entry: path.join(root, 'src/index.ts') },
  );
  onTestFinished(() => bundler.dispose());
  return { root, bundler };
}

describe('createBundler', () => {
  it('bundles the entry with what it imports and names the files it read', async () => {
    const { root, bundler } = await bundlerOf({
      'src/index.ts': "import { greeting } from './greeting.ts'; export default () => greeting;",
      'src/greeting.ts': "export const greeting: string = 'hello';",
    });
    const bundle = await bundler.build();
    expect(bundle.code).toContain('hello');
    expect([...bundle.inputs].sort()).toEqual([path.join(root, 'src/greeting.ts'), path.join(root, 'src/index.ts')]);
  });

  it('names the files of a linked workspace, which are watched, and none of an installed package', async () => {
    const { root, bundler } = await bundlerOf({
      'src/index.ts': "import { a } from 'installed'; import { b } from 'linked'; export default () => a + b;",
      'node_modules/installed/index.js': 'export const a = 1;',
      'packages/linked/index.js': 'export const b = 2;',
    });
    await symlink(path.join(root, 'packages/linked'), path.join(root, 'node_modules/linked'));
    const { inputs } = await bundler.build();
    expect([...inputs].sort()).toEqual([path.join(root, 'packages/linked/index.js'), path.join(root, 'src/index.ts')]);
  });

  it('gives the same bytes for the same sources', async () => {
    const { bundler } = await bundlerOf({ 'src/index.ts': 'export default () => 1;' });
    expect((await bundler.build()).code).toBe((await bundler.build()).code);
  });

  it('shows the place of a syntax error, and builds again once it is fixed', async () => {
    const { root, bundler } = await bundlerOf({ 'src/index.ts': 'export default () => {\n  const = 1;\n};' });
    const error = await bundler.build().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'BUILD_FAILED',
      location: {
        file: path.join(root, 'src/index.ts'),
        line: 2,
        frame: expect.stringContaining('> 2 |   const = 1;'),
      },
    });
    await writeFiles(root, { 'src/index.ts': 'export default () => 1;' });
    await expect(bundler.build()).resolves.toMatchObject({ code: expect.stringContaining('default') });
  });

  it('points at the wrong character, behind any others', async () => {
    const { bundler } = await bundlerOf({ 'src/index.ts': "const name = 'Zoë 🚀'; const = 1;\n" });
    const error = await bundler.build().catch((thrown: unknown) => thrown);
    const before = "const name = 'Zoë 🚀'; const ";
    expect(error).toMatchObject({
      location: {
        column: before.length + 1,
        frame: expect.stringContaining(`\n    | ${' '.repeat(before.length)}^`),
      },
    });
  });

  it('names a module that cannot be found', async () => {
    const { bundler } = await bundlerOf({ 'src/index.ts': "import './absent.ts';" });
    await expect(bundler.build()).rejects.toMatchObject({
      code: 'BUILD_FAILED',
      message: expect.stringContaining('./absent.ts'),
    });
  });

  it('has an error of its own for a top-level await', async () => {
    const { bundler } = await bundlerOf({ 'src/index.ts': 'export const x = await Promise.resolve(1);' });
    await expect(bundler.build()).rejects.toMatchObject({ code: 'BUILD_TOP_LEVEL_AWAIT' });
  });

  it('leaves the package itself outside the bundle', async () => {
    const { bundler } = await bundlerOf({
      'src/index.ts': "import { createAgent } from '@vendor/cloud/agent'; export default createAgent;",
    });
    expect((await bundler.build()).code).toContain('require("@vendor/cloud/agent")');
  });
});

describe('bundleOnce', () => {
  it('makes the bytes that a bundler makes, and says which packages they are of', async () => {
    const { root, bundler } = await bundlerOf({
      'src/index.ts': "import { a } from 'installed'; export default () => a;",
      'node_modules/installed/index.js': 'export const a = 1;',
    });
    const project = { root, entry: path.join(root, 'src/index.ts') };
    const { bundle, packages } = await bundleOnce({ fs: nodeFileSystem, withVariable }, project);
    expect(bundle).toMatchObject(await bundler.build());
    expect(packages.map((each) => each.package).sort()).toEqual(['installed', null]);
  });

  it('leaves the bundlers beside it working, also when it fails', async () => {
    const { root, bundler } = await bundlerOf({ 'src/index.ts': 'export default () => {' });
    const project = { root, entry: path.join(root, 'src/index.ts') };
    await expect(bundleOnce({ fs: nodeFileSystem, withVariable }, project)).rejects.toMatchObject({
      code: 'BUILD_FAILED',
      location: { file: project.entry, line: 1 },
    });
    await writeFiles(root, { 'src/index.ts': 'export default () => 1;' });
    await expect(bundler.build()).resolves.toMatchObject({ code: expect.stringContaining('default') });
  });
});
