import { execFileSync, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

const repository = path.resolve(import.meta.dirname, '../../..');
const script = path.join(repository, 'scripts/release.ts');
const entries = '### Added\n\n- Something for users.';
const manifest = {
  name: '@vendor/cloud',
  version: '0.1.0',
  author: 'Ada Lovelace',
  homepage: 'https://github.com/ada/vendor-cloud#readme',
  bugs: 'https://github.com/ada/vendor-cloud/issues',
  repository: { type: 'git', url: 'git+https://github.com/ada/vendor-cloud.git' },
  scripts: { build: 'node -e 0', manifest: 'node -e 0', docs: 'node -e 0' },
};

/** A repository of the package on its main branch, with entries that are not released. */
async function checkout({ changelog = entries, change = {} }: { changelog?: string; change?: object } = {}) {
  const folder = await temporaryFolder();
  const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: folder, encoding: 'utf8' }).trim();
  await writeFiles(folder, {
    'package.json': JSON.stringify({ ...manifest, ...change }),
    'CHANGELOG.md': `# Changelog\n\n## Unreleased\n\n${changelog}\n\n## 0.1.0\n\n- The first version.\n`,
  });
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.email', 'ada@example.test');
  git('config', 'user.name', 'Ada');
  git('add', '.');
  git('commit', '--quiet', '--message', 'chore: begin');
  const release = (...parameters: string[]) => {
    const options = ['--conditions=vendor-source', script, ...parameters];
    const { status, stdout, stderr } = spawnSync(process.execPath, options, { cwd: folder, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  return { folder, git, release };
}

const owned = { author: 'OWNER', homepage: 'https://github.com/OWNER/vendor-cloud#readme' };

describe('a release', () => {
  it('shows under --dry-run what it would do, and does none of it', async () => {
    const { git, release } = await checkout({ change: owned });
    const before = git('rev-parse', 'HEAD');
    const { status, stdout } = release('prepare', '0.2.0', '--dry-run', '--provenance');
    expect(status).toBe(0);
    expect(stdout).toContain(`0.2.0\n\n${entries}\n`);
    expect(stdout).toContain('The tarball of @vendor/cloud: 2 files, 0.0 MB\n');
    expect(stdout).toContain('npm publish @vendor/cloud@0.2.0 --access public --provenance\n');
    expect(stdout).toContain('npm publish @vendor/agent@1.84.0 --access public --provenance\n');
    expect(stdout).toContain('Before the release: package.json still has OWNER in "author".\n');
    expect([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('tag')]).toEqual(['', before, '']);
  });

  it('writes the version and the changelog, commits them and tags the commit', { tags: 'long' }, async () => {
    const { folder, git, release } = await checkout();
    expect(release('prepare', '0.2.0')).toMatchObject({ status: 0 });
    const read = (file: string) => readFile(path.join(folder, file), 'utf8');
    expect(JSON.parse(await read('package.json'))).toMatchObject({ version: '0.2.0' });
    expect(await read('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n### Added\n\n- Something for users\.\n\n## 0\.1\.0\n/,
    );
    expect(git('log', '-1', '--format=%s')).toBe('chore: release 0.2.0');
    expect(git('tag', '--points-at', 'HEAD', '--format=%(contents)')).toBe(`0.2.0\n\n${entries}`);
    expect(git('status', '--porcelain')).toBe('');
    const { status, stdout } = release('publish', '--dry-run');
    expect([status, stdout]).toEqual([0, expect.stringContaining('npm publish @vendor/cloud@0.2.0 --access public\n')]);
    // Nothing is new since then.
    expect(release('prepare', '0.3.0')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no entry under "Unreleased"'),
    });
  });

  it.each([
    [
      'a changed tree',
      'the working tree has changes',
      '0.2.0',
      (git: Git) => git('rm', '--quiet', '--cached', 'package.json'),
    ],
    ['another branch', 'the branch is "next"', '0.2.0', (git: Git) => git('switch', '--quiet', '--create', 'next')],
    ['a version that is released', 'the tag v0.2.0 exists', '0.2.0', (git: Git) => git('tag', 'v0.2.0')],
    ['an older version', '0.0.9 is not after 0.1.0', '0.0.9', () => ''],
    ['what is not a version', '"soon" is not a version', 'soon', () => ''],
  ])('refuses %s, also under --dry-run', async (_what, message, version, prepare) => {
    const { git, release } = await checkout();
    prepare(git);
    for (const mode of [[], ['--dry-run']]) {
      const { status, stderr } = release('prepare', version, ...mode);
      expect([status, stderr.toLowerCase()]).toEqual([1, expect.stringContaining(message.toLowerCase())]);
    }
    expect(git('log', '-1', '--format=%s')).toBe('chore: begin');
  });

  it('refuses a changelog with headings only', async () => {
    const { release } = await checkout({ changelog: '### Added' });
    expect(release('prepare', '0.2.0', '--dry-run')).toMatchObject({
      status: 1,
      stderr: 'CHANGELOG.md has no entry under "Unreleased".\n',
    });
  });

  it('refuses a package whose owner is not filled in', async () => {
    const { git, release } = await checkout({ change: owned });
    const { status, stderr } = release('prepare', '0.2.0');
    expect([status, stderr]).toEqual([
      1,
      'package.json still has OWNER in "author".\npackage.json still has OWNER in "homepage".\n',
    ]);
    expect(git('tag')).toBe('');
  });

  it('publishes only a tagged commit', async () => {
    const { release } = await checkout();
    expect(release('publish')).toMatchObject({ status: 1, stderr: 'The commit does not have the tag v0.1.0.\n' });
  });
});

it('is in one place: only package.json names the owner', () => {
  const found = spawnSync('git', ['grep', '--files-with-matches', '--fixed-strings', 'OWNER/vendor-cloud'], {
    cwd: repository,
    encoding: 'utf8',
  });
  const files = found.stdout.trim().split('\n');
  expect(files.filter((file) => !file.startsWith('test/'))).toEqual(['package.json']);
});

type Git = (...parameters: string[]) => string;
