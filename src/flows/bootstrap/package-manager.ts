import path from 'node:path';
import type { FlowContext } from '../flow-context.ts';

export type PackageManager = 'npm' | 'pnpm' | 'yarn';

const lockFiles: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
];

/** The package manager of a folder: that of a lock file in it or above it, else the one that runs this command, else npm. */
export async function packageManagerOf(
  { fs, variables }: Pick<FlowContext, 'fs' | 'variables'>,
  folder: string,
): Promise<PackageManager> {
  for (let place = folder; ; place = path.dirname(place)) {
    for (const [file, manager] of lockFiles) if (await fs.exists(path.join(place, file))) return manager;
    if (place === path.dirname(place)) break;
  }
  const running = /^(pnpm|yarn)\//.exec(variables['npm_config_user_agent'] ?? '')?.[1];
  return running === 'pnpm' || running === 'yarn' ? running : 'npm';
}
