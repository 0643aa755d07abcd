import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/** The folder of this package. */
export const packageRoot = path.dirname(require.resolve('@vendor/cloud/package.json'));

/** The address of a module of this package that is started on its own, compiled or not. @param name such as `#cli/agent-worker` */
export function moduleUrl(name: `#${string}`): URL {
  return pathToFileURL(require.resolve(name));
}

/**
 * The flags of a process that its threads need: they change how modules are found. Other flags are not for a thread: `--input-type` even
 * keeps it from starting.
 */
export function conditionsIn(flags: readonly string[]): string[] {
  return flags.flatMap((flag, index) => {
    if (flag.startsWith('--conditions=')) return [flag];
    return flag === '--conditions' || flag === '-C' ? [`--conditions=${flags[index + 1]}`] : [];
  });
}

/** The version of this package, from its manifest. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8'));
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : '';
  return String(version);
}
