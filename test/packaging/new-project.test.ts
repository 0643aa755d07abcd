import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { installedPackage } from '../helpers/installed-package.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

it('a project that a tarball made installs from that tarball, without a warning, and passes its check', {
  tags: 'long',
}, async () => {
  const { bin, tarballs } = installedPackage();
  const cwd = await temporaryFolder();
  const env = { npm_config_prefer_offline: 'true', NO_COLOR: '1' };
  const bootstrap = ['bootstrap', 'shop', '--template', 'shop', '--no-git', '--json'];
  const made = await execa(process.execPath, [bin, ...bootstrap], { cwd, env });
  const result = JSON.parse(made.stdout);
  expect(result).toMatchObject({ isInstalled: true, packageFrom: tarballs[0] });
  const root = path.join(cwd, 'shop');
  const { devDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  expect(devDependencies['@vendor/cloud']).toBe(`file:${tarballs[0]}`);
  expect((await lstat(path.join(root, 'node_modules/@vendor/cloud'))).isSymbolicLink()).toBe(false);
  const again = await execa('npm', ['install', '--no-audit', '--no-fund'], { cwd: root, env, all: true });
  expect(again.all).not.toContain('warn');
  const checked = await execa(process.execPath, ['node_modules/@vendor/cloud/bin/vendor-cloud.js', 'check', '--json'], {
    cwd: root,
  });
  expect(JSON.parse(checked.stdout)).toMatchObject({ isPassed: true });
});
