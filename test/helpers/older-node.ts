import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };

const floor = manifest.engines.node.replace('>=', '');

/** The first Node.js of the system that is below what the package needs; packages that bring their own are left out. */
export function olderNode(): { readonly file: string; readonly version: string } | undefined {
  const folders = (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  for (const file of folders.map((folder) => path.join(folder, 'node')).filter(isExecutable)) {
    const version = execFileSync(file, ['--version'], { encoding: 'utf8' }).trim().slice(1);
    if (version.localeCompare(floor, 'en', { numeric: true }) < 0) return { file, version };
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
