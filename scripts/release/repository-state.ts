import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { unreleasedEntries } from './changelog.ts';

/** What `package.json` says of the package. Its owner fills in `OWNER` there, and nowhere else. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly author: string;
  readonly homepage: string;
  readonly bugs: string;
  readonly repository: { readonly type: string; readonly url: string };
}

/** What a release depends on. */
export interface RepositoryState {
  readonly root: string;
  readonly manifest: Manifest;
  readonly entries: string;
}

export function readState(root: string): RepositoryState {
  const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
  return { root, manifest: JSON.parse(read('package.json')), entries: unreleasedEntries(read('CHANGELOG.md')) };
}

/** Why a release of this version cannot be made. */
export function problemsOfRelease({ root, manifest, entries }: RepositoryState, version: string): readonly string[] {
  const branch = git(root, 'branch', '--show-current');
  return [
    ...(isVersion(version) ? [] : [`"${version}" is not a version such as 1.2.3.`]),
    ...(isVersion(version) && !isAfter(version, manifest.version)
      ? [`${version} is not after ${manifest.version}.`]
      : []),
    ...(branch === 'main' ? [] : [`The branch is "${branch}", and releases are made on main.`]),
    ...problemsOfTree(root),
    ...(git(root, 'tag', '--list', `v${version}`) === '' ? [] : [`The tag v${version} exists.`]),
    ...(entries === '' ? ['CHANGELOG.md has no entry under "Unreleased".'] : []),
  ];
}

/** Why the release that is made cannot be published. */
export function problemsOfPublishing({ root, manifest }: RepositoryState): readonly string[] {
  const tag = `v${manifest.version}`;
  const isTagged = git(root, 'tag', '--points-at', 'HEAD').split('\n').includes(tag);
  return [...problemsOfTree(root), ...(isTagged ? [] : [`The commit does not have the tag ${tag}.`])];
}

/** What the owner has not filled in yet. */
export function placeholdersIn({
  manifest: { author, homepage, bugs, repository },
}: RepositoryState): readonly string[] {
  const fields = { author, homepage, bugs, 'repository.url': repository.url };
  return Object.entries(fields)
    .filter(([, value]) => value.includes('OWNER'))
    .map(([field]) => `package.json still has OWNER in "${field}".`);
}

export function git(root: string, ...parameters: readonly string[]): string {
  return execFileSync('git', [...parameters], { cwd: root, encoding: 'utf8' }).trim();
}

function problemsOfTree(root: string): readonly string[] {
  const changes = git(root, 'status', '--porcelain');
  return changes === '' ? [] : [`The working tree has changes:\n${changes}`];
}

const isVersion = (text: string) => /^\d+\.\d+\.\d+$/.test(text);

function isAfter(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) > 0;
}
