import path from 'node:path';
import type { FileSystem } from '#kernel/ports/file-system';

/** What a compiler that is a program of its own makes of packages in archives: nothing. */
export const unreadablePackages = {
  message: "TypeScript 7 cannot read the packages of Yarn Plug'n'Play",
  nextStep: 'Put "nodeLinker: node-modules" into .yarnrc.yml, then: yarn install',
};

/** Whether Yarn installed the packages of a folder without a folder for them. */
export async function usesPlugAndPlay(fs: Pick<FileSystem, 'exists'>, folder: string): Promise<boolean> {
  for (let place = folder; ; place = path.dirname(place)) {
    if (await fs.exists(path.join(place, '.pnp.cjs'))) return true;
    // A folder node_modules says nothing: Vitest makes one for what it remembers.
    if (place === path.dirname(place)) return false;
  }
}

/** Whether a folder is one of those that Yarn Plug'n'Play runs packages from: inside an archive, or unpacked beside it. */
export function isKeptByYarn(folder: string): boolean {
  return /\.zip[\\/]|[\\/]\.yarn[\\/]/.test(folder);
}
