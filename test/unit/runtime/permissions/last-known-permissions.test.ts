import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { nodeFileSystem } from '#node/files/node-file-system';
import { createLastKnownPermissions, type LastKnownOptions } from '#runtime/permissions/last-known-permissions';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const envSecret = 'a'.repeat(64);
const dayMs = 24 * 60 * 60_000;
const number = z.object({ number: z.number() });

/** What a process knows that kept its files in the folder; each call is another process. */
function processIn(folder: string, change: Partial<LastKnownOptions> = {}, nowMs = 0) {
  const problems: unknown[] = [];
  const lastKnown = createLastKnownPermissions({
    fs: nodeFileSystem,
    clock: { now: () => nowMs, monotonicMs: () => nowMs },
    folder,
    envSecret,
    serverUrl: 'https://platform.example',
    onUnwritable: (error) => problems.push(error),
    ...change,
  });
  return { ...lastKnown, problems };
}

async function fileIn(folder: string): Promise<string> {
  const [file] = (await readdir(folder)).filter((name) => name.startsWith('permissions-'));
  return path.join(folder, file ?? '');
}

/** A folder where a process has kept one document and ended. */
async function keptFolder(): Promise<string> {
  const folder = path.join(await temporaryFolder(), '.vendor-cloud');
  const first = processIn(folder);
  first.keep('users', { number: 1 });
  await first.flush();
  return folder;
}

describe('the last known permissions', () => {
  it('outlive the process, in a file for its owner alone that no version control takes', async () => {
    const folder = await keptFolder();
    expect(await processIn(folder).find('users', number)).toEqual({ number: 1 });
    expect(await processIn(folder).find('environment', number)).toBeUndefined();
    expect((await stat(await fileIn(folder))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await readFile(path.join(folder, '.gitignore'), 'utf8')).toBe('*\n');
    expect(await readFile(await fileIn(folder), 'utf8')).not.toContain(envSecret);
  });

  it('are those of one environment on one platform', async () => {
    const folder = await keptFolder();
    expect(await processIn(folder, { envSecret: 'b'.repeat(64) }).find('users', number)).toBeUndefined();
    expect(await processIn(folder, { serverUrl: 'https://other.example' }).find('users', number)).toBeUndefined();
  });

  it.each([
    ['changed by somebody else', (text: string) => text.replace('"number":1', '"number":2')],
    ['cut short', (text: string) => text.slice(0, -10)],
    ['emptied', () => ''],
  ])('are ignored when they were %s', async (_how, change) => {
    const folder = await keptFolder();
    const file = await fileIn(folder);
    await writeFile(file, change(await readFile(file, 'utf8')));
    expect(await processIn(folder).find('users', number)).toBeUndefined();
  });

  it('are ignored where they do not fit, and after a week', async () => {
    const folder = await keptFolder();
    expect(await processIn(folder).find('users', z.array(z.string()))).toBeUndefined();
    expect(await processIn(folder, {}, 7 * dayMs).find('users', number)).toEqual({ number: 1 });
    expect(await processIn(folder, {}, 7 * dayMs + 1).find('users', number)).toBeUndefined();
  });

  it('are as old as the last time the platform said so', async () => {
    const folder = await keptFolder();
    const later = processIn(folder, {}, dayMs);
    later.keep('users', { number: 1 });
    await later.flush();
    expect(await processIn(folder, {}, 8 * dayMs).find('users', number)).toEqual({ number: 1 });
  });

  it('can be dropped, one or all', async () => {
    const folder = await keptFolder();
    const second = processIn(folder);
    second.keep('environment', { number: 2 });
    second.drop('users');
    await second.flush();
    expect(await processIn(folder).find('users', number)).toBeUndefined();
    expect(await processIn(folder).find('environment', number)).toEqual({ number: 2 });
    const third = processIn(folder);
    third.dropAll();
    expect(await third.find('environment', number)).toBeUndefined();
    await third.flush();
    expect(await processIn(folder).find('environment', number)).toBeUndefined();
  });

  it('are still known to the process when they cannot be written, which is reported once', async () => {
    const folder = path.join(await temporaryFolder(), 'file');
    await writeFile(folder, '');
    const lastKnown = processIn(folder);
    lastKnown.keep('users', { number: 1 });
    await lastKnown.flush();
    lastKnown.keep('users', { number: 2 });
    await lastKnown.flush();
    expect(await lastKnown.find('users', number)).toEqual({ number: 2 });
    expect(lastKnown.problems).toHaveLength(1);
  });
});
