import { existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { systemPrograms } from '#node/system/system-programs';
import { eventually } from '../../../helpers/eventually.ts';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

it('a script in the background comes after others, and its output is whole', async () => {
  const folder = await temporaryFolder();
  // It may begin before it is put back.
  const source = `
    const { getPriority } = require('node:os');
    const look = setInterval(() => {
      if (getPriority() <= ${getPriority()}) return;
      clearInterval(look);
      console.log('later');
    }, 1);`;
  await writeFiles(folder, { 'script.cjs': source });
  const run = { script: path.join(folder, 'script.cjs'), parameters: [], folder, signal: AbortSignal.timeout(20_000) };
  expect(await systemPrograms.runScript({ ...run, isBackground: true })).toEqual({ exitCode: 0, stdout: 'later' });
});

it('a script that does not listen is ended all the same', async () => {
  const folder = await temporaryFolder();
  const source = `
    const { writeFileSync } = require('node:fs');
    process.on('SIGTERM', () => writeFileSync('asked', ''));
    setInterval(() => undefined, 1000);
    writeFileSync('started', '');`;
  await writeFiles(folder, { 'script.cjs': source });
  const end = new AbortController();
  const run = { script: path.join(folder, 'script.cjs'), parameters: [], folder, signal: end.signal };
  const running = systemPrograms.runScript(run);
  await eventually(() => expect(existsSync(path.join(folder, 'started'))).toBe(true));
  end.abort();
  expect(await running).toBeUndefined();
  expect(existsSync(path.join(folder, 'asked'))).toBe(false);
});

it('a script that is not wanted any more before it has begun does not begin', async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'script.cjs': `require('node:fs').writeFileSync('started', '');` });
  const end = new AbortController();
  const run = { script: path.join(folder, 'script.cjs'), parameters: [], folder, signal: end.signal };
  const running = systemPrograms.runScript(run);
  end.abort();
  expect(await running).toBeUndefined();
  expect(existsSync(path.join(folder, 'started'))).toBe(false);
});
