import path from 'node:path';
import { expect, it } from 'vitest';
import { packageSource } from '#flows/bootstrap/package-source';
import { flowContext } from '../../../helpers/flow-context.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

const place = 'node_modules/@vendor/cloud';
const record = (resolved?: string) =>
  JSON.stringify({ packages: { [place]: { version: '0.1.0', ...(resolved === undefined ? {} : { resolved }) } } });
const manifest = (version: string) => JSON.stringify({ devDependencies: { '@vendor/cloud': version } });

/** What a project would write, for a package that is in a folder with these files. The registry has it, or has not. */
async function sourceIn(
  files: Record<string, string>,
  { packagePlace = place, isPublished = false } = {},
): Promise<{ readonly folder: string; readonly version: string; readonly asked: readonly (readonly string[])[] }> {
  const folder = await temporaryFolder();
  await writeFiles(folder, { ...files, [`${packagePlace}/package.json`]: '{}' });
  const asked: (readonly string[])[] = [];
  const { version } = await packageSource({
    ...flowContext(folder),
    package: { name: '@vendor/cloud', version: '0.1.0', root: path.join(folder, packagePlace) },
    tools: {
      run: async ({ parameters }) => {
        asked.push(parameters);
        return { exitCode: isPublished ? 0 : 1, stdout: isPublished ? '0.1.0\n' : '', stderr: '' };
      },
    },
  });
  return { folder, version, asked };
}

it.each([
  ['the tarball', { 'cloud.tgz': '', 'node_modules/.package-lock.json': record('file:cloud.tgz') }, 'cloud.tgz'],
  [
    'the tarball that pnpm, yarn or bun took',
    { 'cloud.tgz': '', 'package.json': manifest('file:./cloud.tgz') },
    'cloud.tgz',
  ],
  ['the folder that yarn links', { 'cloud/package.json': '', 'package.json': manifest('portal:cloud') }, 'cloud'],
  [
    'what was unpacked of a tarball that is gone',
    { 'node_modules/.package-lock.json': record('file:cloud.tgz') },
    place,
  ],
])('a project takes the package from %s', async (_, files, expected) => {
  const { folder, version } = await sourceIn(files);
  expect(version).toBe(`file:${folder}/${expected}`);
});

it.each([
  [
    'a registry',
    { 'node_modules/.package-lock.json': record('https://npm.example.test/@vendor/cloud/-/cloud-0.1.0.tgz') },
  ],
  ['a registry whose addresses are left out', { 'node_modules/.package-lock.json': record() }],
  ['a range of versions', { 'package.json': manifest('^0.1.0') }],
])('a project names the version that came from %s', async (_, files) => {
  expect(await sourceIn(files)).toMatchObject({ version: '0.1.0', asked: [] });
});

it('a project names the address of a tarball that no registry has', async () => {
  const address = 'https://files.example.test/cloud.tgz';
  expect((await sourceIn({ 'node_modules/.package-lock.json': record(address) })).version).toBe(address);
});

it('a project names the version of a global installation when the registry has it, and else its folder', async () => {
  const packagePlace = 'lib/node_modules/@vendor/cloud';
  expect((await sourceIn({}, { packagePlace, isPublished: true })).version).toBe('0.1.0');
  const { folder, version, asked } = await sourceIn({}, { packagePlace });
  expect(version).toBe(`file:${folder}/${packagePlace}`);
  expect(asked).toEqual([['view', '@vendor/cloud@0.1.0', 'version']]);
});
