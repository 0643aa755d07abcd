import path from 'node:path';
import { expect, it } from 'vitest';
import { checkProject } from '#flows/doctor/project-checks';
import { readProjectParts } from '#flows/platform-access/project-parts';
import { flowContext } from '../../../helpers/flow-context.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

/** What `doctor` says of the package in a project of a pnpm workspace. */
async function checkedVersions(files: Record<string, string>, packageRoot = '/') {
  const workspace = await temporaryFolder();
  await writeFiles(workspace, {
    'package.json': '{ "packageManager": "pnpm@10.1.0" }',
    'apps/admin/vendor-cloud.json': '{ "name": "admin", "dataSources": {} }',
    'apps/admin/src/index.ts': '',
    ...files,
  });
  const root = path.join(workspace, 'apps/admin');
  const context = { ...flowContext(root), package: { name: '@vendor/cloud', version: '2.0.0', root: packageRoot } };
  const checks = await checkProject(context, await readProjectParts(context, root));
  return { root, check: checks.find(({ name }) => name === 'versions') };
}

it('the package of a project is found where a workspace keeps it', async () => {
  const { check } = await checkedVersions({ 'node_modules/@vendor/cloud/package.json': '{ "version": "2.0.0" }' });
  expect(check).toMatchObject({ status: 'ok' });
});

it('a package that is missing or of another version comes with the command of the package manager', async () => {
  const missing = await checkedVersions({});
  expect(missing.check).toMatchObject({ nextSteps: [`Run "pnpm install" in ${missing.root}.`] });
  const other = await checkedVersions({ 'node_modules/@vendor/cloud/package.json': '{ "version": "1.0.0" }' });
  expect(other.check).toMatchObject({ nextSteps: ['Run the one of the project: pnpm exec vendor-cloud doctor'] });
});

it("the package of a project that Yarn Plug'n'Play keeps in an archive is the one that runs from there", async () => {
  const inArchive = '/home/ada/.yarn/__virtual__/cloud/2/berry/cache/cloud.zip/node_modules/@vendor/cloud';
  const { check } = await checkedVersions({ '.pnp.cjs': '' }, inArchive);
  expect(check).toMatchObject({ status: 'ok', message: 'The project has @vendor/cloud 2.0.0, which runs.' });
});

it("a package that Yarn Plug'n'Play does not carry out is said to be another one", async () => {
  const { check } = await checkedVersions({ 'package.json': '{ "packageManager": "yarn@4.6.0" }', '.pnp.cjs': '' });
  expect(check).toMatchObject({ nextSteps: ['Run the one of the project: yarn vendor-cloud doctor'] });
});
