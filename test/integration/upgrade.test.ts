import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noticeOf, readKnownUpdate, updateFile } from '#cli/updates/update-notice';
import { latestVersion } from '#flows/upgrade/latest-version';
import { upgrade } from '#flows/upgrade/upgrade';
import type { ToolCall } from '#kernel/ports/programs';
import { nodeFileSystem } from '#node/files/node-file-system';
import { flowContext } from '../helpers/flow-context.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

/** A registry that answers every question alike; resolves to its address and the questions so far. */
async function registry(answer: string, status = 200) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { asked, variables: { npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` } };
}

async function project(): Promise<string> {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'vendor-cloud.json': '{}', 'pnpm-lock.yaml': '' });
  return folder;
}

describe('vendor-cloud upgrade', () => {
  it('brings the newest version with the package manager of the project', async () => {
    const { asked, variables } = await registry('{"version":"99.1.0"}');
    const folder = await project();
    const calls: ToolCall[] = [];
    const tools = {
      run: async (call: ToolCall) => {
        calls.push(call);
        return { exitCode: 0, stdout: '', stderr: '' };
      },
    };
    const context = { ...flowContext(folder), variables, tools };
    const command = 'pnpm add --save-dev @vendor/cloud@99.1.0';
    expect(await upgrade(context, { folder, isDryRun: true })).toMatchObject({ command, isUpgraded: false });
    expect(calls).toEqual([]);
    expect(await upgrade(context, { folder, isDryRun: false })).toMatchObject({ to: '99.1.0', isUpgraded: true });
    expect(calls.map(({ program, folder: place }) => [program, place])).toEqual([['pnpm', folder]]);
    expect(asked).toEqual(['/@vendor%2fcloud/latest', '/@vendor%2fcloud/latest']);
  });

  it('changes nothing where there is no newer version', async () => {
    const context = flowContext(await project());
    const { variables } = await registry(JSON.stringify({ version: context.package.version }));
    const input = { folder: context.workingFolder, isDryRun: false };
    expect(await upgrade({ ...context, variables }, input)).toMatchObject({ command: null, isUpgraded: false });
  });

  it.each([
    ['<html>Sign in to the hotel</html>', 200],
    ['{"version":"; rm -rf /"}', 200],
    ['{}', 404],
  ])('refuses an answer that tells no version: %s', async (answer, status) => {
    const { variables } = await registry(answer, status);
    const context = { ...flowContext(await project()), variables };
    await expect(latestVersion(context)).rejects.toMatchObject({ code: 'REGISTRY_FAILED' });
  });
});

describe('the notice of a newer version', () => {
  it.each([
    ['0.2.0', true],
    ['0.10.0', true],
    ['1.0.0', true],
    ['0.1.9', false],
    ['0.1.8', false],
    ['0.2.0-beta.1', false],
    [null, false],
  ])('of %s to 0.1.9 is given: %s', (latest, isGiven) => {
    expect(noticeOf({ checkedAt: 0, latest }, '0.1.9') !== undefined).toBe(isGiven);
  });

  it('comes from a file that a process of its own writes', async () => {
    const { variables } = await registry('{"version":"99.1.0"}');
    const folder = await temporaryFolder();
    const program = path.resolve(import.meta.dirname, '../../src/cli/check-for-update.ts');
    const env = { PATH: process.env['PATH'] ?? '', XDG_CACHE_HOME: folder, ...variables };
    await promisify(execFile)(process.execPath, ['--conditions=vendor-source', program], { env });
    const file = updateFile(env);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ latest: '99.1.0' });
    expect(await readKnownUpdate(nodeFileSystem, file)).toMatchObject({ latest: '99.1.0' });
  });

  it('is not given from a file that somebody damaged', async () => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { 'update.json': '{"latest":' });
    expect(await readKnownUpdate(nodeFileSystem, path.join(folder, 'update.json'))).toBeUndefined();
  });
});
