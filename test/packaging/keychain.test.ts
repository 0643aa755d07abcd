import { spawnSync } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { exitCodeOfMissingLibrary } from '#node/system/system-keychain';
import { installedPackage } from '../helpers/installed-package.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const reason = process.platform === 'linux' ? '' : ' (skipped: this system has a library)';

it.skipIf(reason !== '')(
  `the library of keychains is not installed on Linux, and its program says so${reason}`,
  async () => {
    const { folder, root } = installedPackage();
    expect(await readdir(path.join(folder, 'node_modules'))).not.toContain('@napi-rs');
    // Packages are installed inside of the repository, whose tests have the library for Linux.
    const elsewhere = await temporaryFolder();
    for (const part of ['package.json', 'dist'])
      await cp(path.join(root, part), path.join(elsewhere, part), { recursive: true });
    const program = path.join(elsewhere, 'dist/cli/keychain-process.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'store', 'vendor-cloud', 'name'], {
      input: 'a secret',
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).toEqual([exitCodeOfMissingLibrary, '', '']);
  },
);
