import path from 'node:path';
import type { FlowContext } from '../flow-context.ts';

const managers = ['npm', 'pnpm', 'yarn', 'bun'] as const;

export type PackageManager = (typeof managers)[number];

const lockFiles: readonly (readonly [string, PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];

/** What runs a program of a project, and what adds a package for development. */
const commands: Readonly<Record<PackageManager, { readonly run: string; readonly add: readonly string[] }>> = {
  npm: { run: 'npx', add: ['install', '--save-dev'] },
  pnpm: { run: 'pnpm exec', add: ['add', '--save-dev'] },
  yarn: { run: 'yarn', add: ['add', '--dev'] },
  bun: { run: 'bunx', add: ['add', '--dev'] },
};

/**
 * The package manager of a folder. The nearest folder from there upwards decides that names one in `packageManager` of its
 * `package.json`, or has a lock file; else the one that runs this command, else npm.
 */
export async function packageManagerOf(
  { fs, variables }: Pick<FlowContext, 'fs' | 'variables'>,
  folder: string,
): Promise<PackageManager> {
  for (let place = folder; ; place = path.dirname(place)) {
    const named = namedIn(await fs.readText(path.join(place, 'package.json')));
    if (named) return named;
    for (const [file, manager] of lockFiles) if (await fs.exists(path.join(place, file))) return manager;
    if (place === path.dirname(place)) return known(variables['npm_config_user_agent']?.split('/')[0]) ?? 'npm';
  }
}

/** `npx vendor-cloud dev`: a line that runs a program of the project. */
export function runCommand(manager: PackageManager, line: string): string {
  return `${commands[manager].run} ${line}`;
}

/** The parameters that add a package for development. */
export function addParameters(manager: PackageManager, name: string): readonly string[] {
  return [...commands[manager].add, name];
}

/** `pnpm@10.1.0+sha512.…`. A file that cannot be read names none; whoever needs it says what is wrong with it. */
function namedIn(text: string | null): PackageManager | undefined {
  return known(/"packageManager"\s*:\s*"(\w+)@/.exec(text ?? '')?.[1]);
}

function known(name: string | undefined): PackageManager | undefined {
  return managers.find((manager) => manager === name);
}
