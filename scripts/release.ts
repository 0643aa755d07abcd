/**
 * Make a release, and publish it. CONTRIBUTING.md says how.
 *
 *     npm run release -- prepare 0.2.0 [--dry-run]
 *     npm run release -- publish [--provenance] [--dry-run]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { facades, versionOfFacade } from './pack/facades.ts';
import { packFacades, packThis } from './pack/pack-facades.ts';
import { withRelease } from './release/changelog.ts';
import {
  git,
  placeholdersIn,
  problemsOfPublishing,
  problemsOfRelease,
  type RepositoryState,
  readState,
} from './release/repository-state.ts';

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false }, provenance: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const isDryRun = values['dry-run'];
const state = readState(process.cwd());
const [task, version = ''] = positionals;
if (task === 'prepare') prepare(state, version);
else if (task === 'publish') await publish(state);
else refuse(['Call it with "prepare" and a version, or with "publish".']);

/** Write the version and the changelog, commit them, and tag the commit. */
function prepare({ root, entries }: RepositoryState, next: string): void {
  refuse([...problemsOfRelease(state, next), ...(isDryRun ? [] : placeholdersIn(state))]);
  console.log(`${next}\n\n${entries}\n`);
  if (isDryRun) {
    showTarballs(next);
    return;
  }
  run('npm', 'version', next, '--no-git-tag-version', '--ignore-scripts');
  const changelog = path.join(root, 'CHANGELOG.md');
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, withRelease(readFileSync(changelog, 'utf8'), next, day));
  run('npm', 'run', '-s', 'manifest');
  run('npm', 'run', '-s', 'docs');
  git(root, 'commit', '--all', '--message', `chore: release ${next}`);
  git(root, 'tag', '--annotate', `v${next}`, '--cleanup=verbatim', '--message', `${next}\n\n${entries}`);
  console.log(`The commit and the tag v${next} are made. This publishes them: git push --follow-tags`);
}

/** Make the tarballs, and hand them to the registry: this package first, because the others depend on it. */
async function publish({ root, manifest }: RepositoryState): Promise<void> {
  refuse([...problemsOfPublishing(state), ...(isDryRun ? [] : placeholdersIn(state))]);
  if (isDryRun) {
    showTarballs(manifest.version);
    return;
  }
  run('npm', 'run', '-s', 'build');
  const destination = path.join(root, 'tarballs');
  mkdirSync(destination, { recursive: true });
  for (const tarball of [await packThis(destination), ...(await packFacades(destination))])
    run('npm', ...publishing(tarball));
}

/** What would be published, and how. */
function showTarballs(next: string): void {
  run('npm', 'run', '-s', 'build');
  const packed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: state.root,
    encoding: 'utf8',
  });
  console.log(`The tarball of ${state.manifest.name}: ${sizeOf(JSON.parse(packed))}`);
  const packages = [
    `${state.manifest.name}@${next}`,
    ...facades.map((facade) => `${facade.name}@${versionOfFacade(facade, next)}`),
  ];
  for (const each of packages) console.log(`Would be published: npm ${publishing(each).join(' ')}`);
  for (const placeholder of placeholdersIn(state)) console.log(`Before the release: ${placeholder}`);
}

/** npm 11 prints a list of tarballs, later versions print them by name. */
function sizeOf(packed: Readonly<Record<string, { readonly entryCount: number; readonly size: number }>>): string {
  const tarballs = Object.values(packed);
  return tarballs.map(({ entryCount, size }) => `${entryCount} files, ${(size / 1e6).toFixed(1)} MB`).join();
}

function publishing(what: string): readonly string[] {
  return ['publish', what, '--access', 'public', ...(values.provenance ? ['--provenance'] : [])];
}

function run(program: string, ...parameters: readonly string[]): void {
  execFileSync(program, [...parameters], { cwd: state.root, stdio: 'inherit' });
}

/** End here if something is in the way. */
function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
