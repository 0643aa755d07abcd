import { statSync } from 'node:fs';
import { mkdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { withVariable } from '#node/environment/process-environment';
import { nodeFileSystem } from '#node/files/node-file-system';
import { sha256Hex } from '#node/system/digest';
import { bundleOnce, recallBundle, rememberBundle } from '#project/index';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { untilTimeGoesOn } from '../../helpers/until-time-goes-on.ts';
import { writeFiles } from '../../helpers/write-files.ts';

type Files = Readonly<Record<string, string>>;

/** A folder around a project, which is in `shop`. */
async function projectOf(files: Files) {
  const around = await temporaryFolder();
  const root = path.join(around, 'shop');
  await writeFiles(root, files);
  const project = { root, entry: path.join(root, 'src/index.ts') };
  const recall = (variables = {}) => recallBundle(nodeFileSystem, project, variables);
  const build = () => bundleOnce({ fs: nodeFileSystem, withVariable }, project);
  /** @param meanwhile what happens between the begin of the build and its end. */
  const remember = async (meanwhile: () => Promise<void> = () => Promise.resolve()) => {
    await untilTimeGoesOn(around);
    const end = await rememberBundle(nodeFileSystem, project, {});
    const built = await build();
    await meanwhile();
    const { missing: _missing, doubtful } = await built.outside();
    await end({ ...built, doubtful });
    return sha256Hex(built.bundle.bytes);
  };
  /** The digest of what a build gives now; `failed` where it gives nothing. */
  const digestNow = async () => {
    const built = await build().catch(() => undefined);
    return built ? sha256Hex(built.bundle.bytes) : 'failed';
  };
  return { around, root, recall, remember, digestNow };
}

const base: Files = {
  'src/index.ts': `
    import { rate } from './rates';
    import { label } from './lib/label.js';
    import data from './data.json';
    import { atlas } from 'atlas';
    import { tool } from '@team/tools/deep';
    import { secret } from '#secret';
    let extra; try { extra = require('not-installed'); } catch {}
    export class Shop { rate = rate; label = label; data = data; atlas = atlas; tool = tool; secret = secret; extra = extra }`,
  'src/rates.ts': 'export const rate: number = 1;',
  'src/lib/label.ts': "export const label = 'a label';",
  'src/data.json': '{ "n": 1 }',
  'src/secret.ts': 'export const secret = 1;',
  'package.json': '{ "name": "shop", "imports": { "#secret": "./src/secret.ts" } }',
  'tsconfig.json':
    '{ "compilerOptions": { "target": "es2022" }, /* more */ "extends": ["./tsconfig.base.json", "@team/settings/node.json"], }',
  'tsconfig.base.json': '{ "compilerOptions": { "useDefineForClassFields": true } }',
  'node_modules/@team/settings/node.json': '{ "compilerOptions": { "experimentalDecorators": false } }',
  'node_modules/atlas/package.json': '{ "name": "atlas", "version": "1.0.0", "main": "lib/main.js" }',
  'node_modules/atlas/lib/main.js': "exports.atlas = require('./part');",
  'node_modules/atlas/lib/part.js': 'module.exports = 1;',
  'node_modules/@team/tools/package.json': '{ "name": "@team/tools", "main": "index.js" }',
  'node_modules/@team/tools/deep/package.json': '{ "module": "../esm/deep.js", "main": "../cjs/deep.js" }',
  'node_modules/@team/tools/esm/deep.js': 'export const tool = 1;',
  'node_modules/@team/tools/cjs/deep.js': 'exports.tool = 2;',
  'dashboards/sales.json': '{ "title": "Sales", "charts": [{ "chart": "A" }] }',
};

type Change = (project: { readonly root: string; readonly around: string }) => Promise<void>;
const written =
  (files: Files): Change =>
  ({ root }) =>
    writeFiles(root, files);

/** Changes that give another bundle, or none. */
const changes: readonly (readonly [string, Change])[] = [
  ['a source', written({ 'src/rates.ts': 'export const rate: number = 2;' })],
  [
    'a source of the same size and the same time',
    async ({ root }) => {
      const file = path.join(root, 'src/rates.ts');
      const { atime, mtime } = statSync(file);
      await writeFile(file, 'export const rate: number = 3;');
      await utimes(file, atime, mtime);
    },
  ],
  ['imported JSON', written({ 'src/data.json': '{ "n": 2 }' })],
  ['a removed source', ({ root }) => rm(path.join(root, 'src/rates.ts'))],
  ['a file that is found before the one of that ending', written({ 'src/rates.tsx': 'export const rate = 4;' })],
  ['a file of the name that was written', written({ 'src/lib/label.js': "export const label = 'of JavaScript';" })],
  ['a package in a folder that is nearer', written({ 'src/node_modules/atlas/index.js': 'exports.atlas = 5;' })],
  ['a package of a file that is nearer', written({ 'src/node_modules/atlas.js': 'exports.atlas = 6;' })],
  [
    'another content of a package of the same version',
    written({ 'node_modules/atlas/lib/part.js': 'module.exports = 7;' }),
  ],
  [
    'another main file of a package',
    written({
      'node_modules/atlas/package.json': '{ "name": "atlas", "version": "1.0.0", "main": "lib/part.js" }',
    }),
  ],
  [
    'exports of a package that had none',
    written({
      'node_modules/atlas/package.json': '{ "name": "atlas", "main": "lib/main.js", "exports": "./lib/part.js" }',
    }),
  ],
  [
    'a removed manifest beside a module',
    ({ root }) => rm(path.join(root, 'node_modules/@team/tools/deep/package.json')),
  ],
  ['a module before the one of a manifest', written({ 'node_modules/@team/tools/deep.js': 'exports.tool = 8;' })],
  ['a package that was not installed', written({ 'node_modules/not-installed/index.js': 'module.exports = 9;' })],
  [
    'a package that was not installed, in a folder above',
    async ({ around }) => {
      await writeFiles(around, { 'node_modules/not-installed/index.js': 'module.exports = 10;' });
    },
  ],
  [
    'a package that is moved away for one in a folder above',
    async ({ root, around }) => {
      await writeFiles(around, { 'node_modules/atlas/index.js': 'exports.atlas = 11;' });
      await rename(path.join(root, 'node_modules/atlas'), path.join(around, 'atlas'));
    },
  ],
  [
    'a private name',
    async ({ root }) => {
      await writeFiles(root, {
        'package.json': '{ "name": "shop", "imports": { "#secret": "./src/other.ts" } }',
        'src/other.ts': 'export const secret = 12;',
      });
    },
  ],
  [
    'a module without effects',
    written({
      'package.json': '{ "name": "shop", "type": "module", "imports": { "#secret": "./src/secret.ts" } }',
      'src/index.ts': "import './effect.ts'; import atlas from 'atlas'; export default () => atlas;",
      'src/effect.ts': 'console.log(1);',
    }),
  ],
  [
    'settings of TypeScript',
    written({ 'tsconfig.json': '{ "compilerOptions": { "useDefineForClassFields": false, "target": "es2021" } }' }),
  ],
  [
    'settings that those of TypeScript extend',
    written({ 'tsconfig.base.json': '{ "compilerOptions": { "useDefineForClassFields": false } }' }),
  ],
  [
    'settings of a package that those of TypeScript extend',
    written({
      'node_modules/@team/settings/node.json': '{ "compilerOptions": { "useDefineForClassFields": false } }',
    }),
  ],
  [
    'settings of TypeScript that are nearer',
    written({
      'src/tsconfig.json': '{ "compilerOptions": { "useDefineForClassFields": false, "target": "es2021" } }',
    }),
  ],
  [
    'a folder that a link takes the place of',
    async ({ root }) => {
      await rename(path.join(root, 'src/lib'), path.join(root, 'src/elsewhere'));
      await symlink(path.join(root, 'src/elsewhere'), path.join(root, 'src/lib'));
    },
  ],
  ['a dashboard', written({ 'dashboards/sales.json': '{ "title": "Sold", "charts": [{ "chart": "A" }] }' })],
  ['another dashboard', written({ 'dashboards/stock.json': '{ "title": "Stock", "charts": [{ "chart": "A" }] }' })],
  ['no dashboards', ({ root }) => rm(path.join(root, 'dashboards'), { recursive: true })],
];

describe('a bundle that is remembered', () => {
  it('is what a build gives, where nothing has changed', async () => {
    const project = await projectOf(base);
    const digest = await project.remember();
    const recalled = await project.recall();
    expect(recalled).toMatchObject({ digest });
    expect(recalled?.packages.map((each) => each.package)).toEqual(
      expect.arrayContaining([null, 'atlas', '@team/tools']),
    );
    expect(recalled?.doubtful).toMatchObject([
      { file: 'src/index.ts', message: expect.stringContaining('not-installed') },
    ]);
  });

  it('says nothing of files that no build reads', async () => {
    const project = await projectOf(base);
    await project.remember();
    await writeFiles(project.root, {
      'README.md': 'x',
      'shop.sqlite': 'x',
      'test/a.test.ts': 'x',
      '.vendor-cloud/x': 'x',
    });
    expect(await project.recall()).toBeDefined();
  });

  it.each(changes)('is forgotten after a change: %s', async (_what, change) => {
    const project = await projectOf(base);
    const digest = await project.remember();
    expect(await project.recall()).toMatchObject({ digest });
    await change(project);
    expect(await project.digestNow(), 'the change makes a difference').not.toBe(digest);
    expect(await project.recall()).toBeUndefined();
  });

  it('is forgotten when a link leads elsewhere', async () => {
    const project = await projectOf({
      ...base,
      'node_modules/atlas/lib/part.js': "module.exports = require('linked');",
    });
    const { root } = project;
    await writeFiles(root, { 'one/index.js': 'module.exports = 1;', 'two/index.js': 'module.exports = 2;' });
    await mkdir(path.join(root, 'links'));
    await symlink(path.join(root, 'one'), path.join(root, 'links/chosen'));
    await symlink(path.join(root, 'links/chosen'), path.join(root, 'node_modules/linked'));
    await project.remember();
    expect(await project.recall()).toBeDefined();
    await rm(path.join(root, 'links/chosen'));
    await symlink(path.join(root, 'two'), path.join(root, 'links/chosen'));
    expect(await project.recall()).toBeUndefined();
  });

  it('is forgotten when a linked file leads elsewhere', async () => {
    const project = await projectOf({
      ...base,
      'kept/one.ts': 'export const rate = 1;',
      'kept/two.ts': 'export const rate = 2;',
    });
    const link = path.join(project.root, 'src/rates.ts');
    await rm(link);
    await symlink('../kept/one.ts', link);
    await project.remember();
    expect(await project.recall()).toBeDefined();
    await rm(link);
    await symlink('../kept/two.ts', link);
    expect(await project.recall()).toBeUndefined();
  });

  it('is that of one entry, of the variables that lead to modules, and of this version', async () => {
    const project = await projectOf(base);
    await project.remember();
    const { root, recall } = project;
    const other = { root, entry: path.join(root, 'src/rates.ts') };
    expect(await recallBundle(nodeFileSystem, other, {})).toBeUndefined();
    expect(await recall({ NODE_PATH: '/elsewhere' })).toBeUndefined();
    expect(await recall({ ESBUILD_BINARY_PATH: '/elsewhere/esbuild' })).toBeUndefined();
    expect(await recall({ PORT: '1', NODE_ENV: 'production' })).toBeDefined();
    const file = path.join(root, '.vendor-cloud/last-build.json');
    const memory = JSON.parse((await nodeFileSystem.readText(file)) ?? '');
    await writeFile(file, JSON.stringify({ ...memory, maker: 'another version' }));
    expect(await recall()).toBeUndefined();
  });

  it.each(['', '{', '[]', 'null', '{"maker":1}'])('is not there where its file holds %j', async (text) => {
    const project = await projectOf(base);
    await project.remember();
    await writeFile(path.join(project.root, '.vendor-cloud/last-build.json'), text);
    expect(await project.recall()).toBeUndefined();
  });
});

describe('a build', () => {
  it.each([
    ['a source that changes while it runs', { 'src/rates.ts': 'export const rate: number = 2;' }],
    ['a file that appears while it runs', { 'src/rates.tsx': 'export const rate = 4;' }],
    ['settings above the project that appear while it runs', { '../tsconfig.json': '{}' }],
  ])('is not remembered with %s', async (_what, files) => {
    const project = await projectOf(base);
    await project.remember(() => writeFiles(project.root, files));
    expect(await project.recall()).toBeUndefined();
  });

  it('is not remembered with a file above the project that goes away while it runs', async () => {
    const project = await projectOf(base);
    const manifest = path.join(project.around, 'package.json');
    await writeFile(manifest, '{}');
    await project.remember(() => rm(manifest));
    expect(await project.recall()).toBeUndefined();
  });

  it.each([
    ['paths of TypeScript', { 'tsconfig.json': '{ "compilerOptions": { "paths": { "x": ["./src/x"] } } }' }],
    ['a folder of names', { 'tsconfig.base.json': '{ "compilerOptions": { "baseUrl": "." } }' }],
    ['Plug’n’Play', { '.pnp.data.json': '{}' }],
    [
      'a package that esbuild finds no module in',
      { 'node_modules/not-installed/package.json': '{ "exports": "./x.js" }' },
    ],
    ['modules by a pattern', { 'src/rates.ts': 'export const rate = (name: string) => import(`./lib/${name}.ts`);' }],
    [
      'a module with a query',
      { 'src/rates.ts': "import { label } from './lib/label.ts?x'; export const rate = label;" },
    ],
    [
      'private names by a pattern',
      { 'package.json': '{ "imports": { "#secret": "./src/secret.ts", "#x/*": "x/*" } }' },
    ],
  ])('is not remembered with %s', async (_what, files) => {
    const project = await projectOf({ ...base, ...files });
    await project.remember().catch(() => undefined);
    expect(await project.recall()).toBeUndefined();
  });

  it('is remembered by one of two that run at once', async () => {
    const project = await projectOf(base);
    await untilTimeGoesOn(project.around);
    await Promise.all([project.remember(), project.remember()]);
    expect([undefined, await project.digestNow()]).toContain((await project.recall())?.digest);
  });

  it('goes on where it cannot be remembered', async () => {
    const project = await projectOf({ ...base, '.vendor-cloud': 'a file' });
    await project.remember();
    expect(await project.recall()).toBeUndefined();
  });
});
