import { cp } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { olderNode } from '../helpers/older-node.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const older = olderNode();
const reason = older ? '' : ' (skipped: the PATH has no Node.js that is older)';

/** What `npm ci` says of the checkout, on an older Node.js. */
async function installed(...parameters: string[]): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    await cp(path.join(repository, name), path.join(folder, name));
  }
  const env = { PATH: `${path.dirname(older?.file ?? '')}${path.delimiter}${process.env['PATH'] ?? ''}` };
  const { stderr } = await execa('npm', ['ci', '--dry-run', ...parameters], { cwd: folder, env });
  return stderr;
}

it.skipIf(!older)(
  `an installation of the checkout says nothing of the Node.js that runs npm${reason}`,
  { tags: 'long' },
  async () => {
    expect(await installed()).toBe('');
  },
);

it.skipIf(!older)(
  `npm finds nothing wrong with the checkout itself, however much it may say${reason}`,
  { tags: 'long' },
  async () => {
    const said = await installed('--loglevel=warn');
    expect(said).toContain('EBADENGINE');
    expect(said).not.toContain('@vendor/cloud');
    expect(said).not.toContain('install-scripts');
  },
);
