import path from 'node:path';
import type { FlowContext } from '../flow-context.ts';
import type { PackageManager } from '../packages/package-manager.ts';

const file = 'pnpm-workspace.yaml';

/** esbuild comes with a program that its script of the installation puts into place. */
const text = 'allowBuilds:\n  esbuild: true\n';

/**
 * pnpm 11 ends an installation with an error where a package has a script that nobody allowed or forbade. Inside a workspace that is for
 * the workspace to say.
 */
export async function allowBuilds({ fs }: FlowContext, folder: string, manager: PackageManager): Promise<void> {
  if (manager !== 'pnpm') return;
  for (let place = folder; ; place = path.dirname(place)) {
    if (await fs.exists(path.join(place, file))) return;
    if (place === path.dirname(place)) break;
  }
  await fs.createExclusively(path.join(folder, file), text);
}
