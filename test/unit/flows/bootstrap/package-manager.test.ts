import path from 'node:path';
import { expect, it } from 'vitest';
import { packageManagerOf } from '#flows/bootstrap/package-manager';
import { nodeFileSystem as fs } from '#host/files/node-file-system';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

it.each([
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
])('a workspace with %s above the project means %s', async (file, manager) => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { [file]: '' });
  const variables = { npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v24.0.0 linux x64' };
  expect(await packageManagerOf({ fs, variables }, path.join(folder, 'packages/admin'))).toBe(manager);
});

it.each([
  ['yarn/4.6.0 npm/? node/v24.0.0 linux x64', 'yarn'],
  ['npm/11.0.0 node/v24.0.0 linux x64 workspaces/false', 'npm'],
  [undefined, 'npm'],
])('the program that runs the command decides without a lock file: %s', async (agent, manager) => {
  const variables = { npm_config_user_agent: agent };
  expect(await packageManagerOf({ fs, variables }, await temporaryFolder())).toBe(manager);
});
