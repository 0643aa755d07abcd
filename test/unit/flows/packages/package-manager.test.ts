import path from 'node:path';
import { expect, it } from 'vitest';
import { addParameters, packageManagerOf, runCommand } from '#flows/packages/package-manager';
import { nodeFileSystem as fs } from '#node/files/node-file-system';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

it.each([
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
])('a workspace with %s above the project means %s', async (file, manager) => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { [file]: '' });
  const variables = { npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v24.0.0 linux x64' };
  expect(await packageManagerOf({ fs, variables }, path.join(folder, 'packages/admin'))).toBe(manager);
});

it.each([
  ['yarn/4.6.0 npm/? node/v24.0.0 linux x64', 'yarn'],
  ['bun/1.4.5 npm/? node/v24.0.0 linux x64', 'bun'],
  ['npm/11.0.0 node/v24.0.0 linux x64 workspaces/false', 'npm'],
  [undefined, 'npm'],
])('the program that runs the command decides without a lock file: %s', async (agent, manager) => {
  const variables = { npm_config_user_agent: agent };
  expect(await packageManagerOf({ fs, variables }, await temporaryFolder())).toBe(manager);
});

it.each([
  ['pnpm@10.1.0+sha512.abc', 'pnpm'],
  ['yarn@4.6.0', 'yarn'],
  ['bun@1.4.5', 'bun'],
  ['npm@11.0.0', 'npm'],
])('a workspace whose package.json names %s means %s', async (packageManager, manager) => {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'package.json': JSON.stringify({ private: true, packageManager }, null, 2).replaceAll('\n', '\r\n'),
    'packages/admin/package.json': '{ "name": "admin" }',
  });
  expect(await packageManagerOf({ fs, variables: {} }, path.join(folder, 'packages/admin'))).toBe(manager);
});

it('the nearest folder decides, and in one folder the name before the lock file', async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'package.json': '{ "packageManager": "pnpm@10.1.0" }',
    'package-lock.json': '{}',
    'apps/yarn.lock': '',
    'apps/package.json': '{ "packageManager": "vlt@1.2.0" }',
  });
  expect(await packageManagerOf({ fs, variables: {} }, folder)).toBe('pnpm');
  expect(await packageManagerOf({ fs, variables: {} }, path.join(folder, 'apps/admin'))).toBe('yarn');
});

it.each([
  ['npm', 'npx vendor-cloud dev', 'install --save-dev a@1'],
  ['pnpm', 'pnpm exec vendor-cloud dev', 'add --save-dev a@1'],
  ['yarn', 'yarn vendor-cloud dev', 'add --dev a@1'],
  ['bun', 'bunx vendor-cloud dev', 'add --dev a@1'],
] as const)('%s runs a program by "%s" and adds a package by "%s"', (manager, run, add) => {
  expect(runCommand(manager, 'vendor-cloud dev')).toBe(run);
  expect(addParameters(manager, 'a@1').join(' ')).toBe(add);
});
