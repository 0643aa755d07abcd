import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
const built = path.join(root, 'dist/cli/agent-worker.js');

/** Builds the package where a file of its code is newer than the build: tests start its threads and processes. */
export async function setup(): Promise<void> {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const isNewer = (file: string) => statSync(path.join(root, file)).mtimeMs > builtAt;
  if (!globSync('{src,scripts/build}/**/*.ts', { cwd: root }).some(isNewer)) return;
  await promisify(execFile)(process.execPath, ['scripts/build.ts'], { cwd: root });
}
