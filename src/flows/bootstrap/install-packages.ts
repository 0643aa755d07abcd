import path from 'node:path';
import { linkPackage } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import type { PackageManager } from '../packages/package-manager.ts';

const deadlineMs = 5 * 60_000;

/**
 * Install the packages of a new project. Resolves to whether that worked: without a network the project goes on with the link to
 * the package that made it, and lacks only its compiler.
 */
export async function installPackages(context: FlowContext, folder: string, manager: PackageManager): Promise<boolean> {
  const { fs, tools, reporter } = context;
  const modules = path.join(folder, 'node_modules');
  // The package manager would write the link into its lock file.
  await fs.remove(modules);
  const interruption = new AbortController();
  const forget = context.onInterrupt(async () => interruption.abort());
  const { exitCode, stderr } = await reporter.step(`Installing packages with ${manager}`, () =>
    tools.run({ program: manager, parameters: ['install'], folder, deadlineMs, signal: interruption.signal }),
  );
  forget();
  if (exitCode === 0) return true;
  await fs.remove(modules);
  await linkPackage(fs, context.package.root, folder);
  const reason = stderr.trim().split('\n')[0] ?? '';
  reporter.warn(
    `The packages are not installed: "${manager} install" ${exitCode === null ? 'could not run' : `ended with ${exitCode}`}${reason === '' ? '' : `, ${reason}`}`,
    `Install them later: ${manager} install`,
  );
  return false;
}
