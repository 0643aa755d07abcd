import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { gitCommit } from '#node/system/git';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

const author = ['-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.test', '-c', 'commit.gpgsign=false'];

const git = (folder: string, ...words: string[]) =>
  execFileSync('git', [...author, ...words], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

it('the commit of a folder is found on a detached HEAD and in another worktree, and is null if there is none', async () => {
  const folder = await temporaryFolder();
  expect(await gitCommit(folder)).toBeNull();
  git(folder, 'init', '--quiet');
  expect(await gitCommit(folder)).toBeNull();
  git(folder, 'commit', '--quiet', '--allow-empty', '--message', 'first');
  git(folder, 'checkout', '--quiet', '--detach');
  const commit = git(folder, 'rev-parse', 'HEAD').trim();
  expect(await gitCommit(folder)).toBe(commit);
  const worktree = path.join(await temporaryFolder(), 'worktree');
  git(folder, 'worktree', 'add', '--quiet', worktree, 'HEAD');
  expect(await gitCommit(worktree)).toBe(commit);
});
