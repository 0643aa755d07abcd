import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { ToolResult } from '#kernel/ports/programs';
import { linkPackage } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import type { PackageManager } from '../packages/package-manager.ts';
import { unreadablePackages, usesPlugAndPlay } from '../packages/plug-and-play.ts';

const deadlineMs = 5 * 60_000;

/** How an installation ended that did not work. */
class FailedInstallation extends Error {
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    super('The packages are not installed.');
    this.result = result;
  }
}

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
  const call = { program: manager, parameters: ['install'], folder, deadlineMs, signal: interruption.signal };
  try {
    await reporter.step(`Installing packages with ${manager}`, async () => {
      const result = await tools.run(call);
      if (result.exitCode !== 0) throw new FailedInstallation(result);
    });
    if (await usesPlugAndPlay(fs, folder))
      reporter.warn(`${unreadablePackages.message}: types are not checked.`, unreadablePackages.nextStep);
    return true;
  } catch (error) {
    if (!(error instanceof FailedInstallation)) throw error;
    await fs.remove(modules);
    await linkPackage(fs, context.package.root, folder);
    const why = interruption.signal.aborted ? 'that was interrupted' : reasonOf(manager, error.result);
    const isForbidden = why.includes('ERR_PNPM_IGNORED_BUILDS');
    const next = isForbidden ? 'Say what may run: pnpm approve-builds' : `Install them later: ${manager} install`;
    reporter.warn(`The packages are not installed: ${why}`, next);
    return false;
  } finally {
    forget();
  }
}

/** Lines that say what is wrong, however each package manager begins them. pnpm and yarn 4 write them to stdout. */
const telling = [
  /^npm error (?!code\b)\S/,
  /^error\b/,
  /^\[?ERR_PNPM_\w+/,
  /^(?:Usage|Internal) Error:/,
  /^➤ YN\d{4}: .*(?:error|fail|not found|cannot|can't)/i,
];

function reasonOf(manager: PackageManager, { exitCode, stdout, stderr }: ToolResult): string {
  const lines = stripVTControlCharacters(`${stderr}\n${stdout}`)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const reason = lines.find((line) => telling.some((pattern) => pattern.test(line))) ?? lines[0];
  const end = exitCode === null ? 'could not run' : `ended with ${exitCode}`;
  return `"${manager} install" ${end}${reason === undefined ? '' : `, ${reason}`}`;
}

const workspaceFile = 'pnpm-workspace.yaml';

/** esbuild comes with a program that its script of the installation puts into place. */
const allowedBuilds = 'allowBuilds:\n  esbuild: true\n';

/**
 * pnpm 11 ends an installation with an error where a package has a script that nobody allowed or forbade. Inside a workspace that is for
 * the workspace to say.
 */
export async function allowBuilds({ fs }: FlowContext, folder: string, manager: PackageManager): Promise<void> {
  if (manager !== 'pnpm') return;
  for (let place = folder; ; place = path.dirname(place)) {
    if (await fs.exists(path.join(place, workspaceFile))) return;
    if (place === path.dirname(place)) break;
  }
  await fs.createExclusively(path.join(folder, workspaceFile), allowedBuilds);
}
