import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { findProjectRoot } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { addParameters, packageManagerOf } from '../packages/package-manager.ts';
import { isNewer, latestVersion } from './latest-version.ts';

const deadlineMs = 5 * 60_000;

export interface Upgrade {
  readonly from: string;
  readonly to: string;
  /** What brings the newer version; `null` if there is no such command. */
  readonly command: string | null;
  /** Whether it was carried out. */
  readonly isUpgraded: boolean;
}

/**
 * Bring the newest version of this package into a project, with its package manager.
 *
 * @param isDryRun only say what would be done.
 */
export async function upgrade(
  context: FlowContext,
  { folder, isDryRun }: { readonly folder: string; readonly isDryRun: boolean },
): Promise<Upgrade> {
  const { tools, reporter, package: running } = context;
  const to = await reporter.step('Asking for the newest version', () => latestVersion(context));
  const from = running.version;
  if (!isNewer(to, from)) return { from, to: from, command: null, isUpgraded: false };
  const root = await findProjectRoot(context.fs, folder);
  const manager = await packageManagerOf(context, root);
  const parameters = addParameters(manager, `${running.name}@${to}`);
  const command = [manager, ...parameters].join(' ');
  if (isDryRun) return { from, to, command, isUpgraded: false };
  const { exitCode, stderr } = await reporter.step(command, () =>
    tools.run({ program: manager, parameters, folder: root, deadlineMs }),
  );
  if (exitCode !== 0) throw notInstalled(command, stderr);
  return { from, to, command, isUpgraded: true };
}

function notInstalled(command: string, stderr: string): CloudError {
  const reason = stderr.trim().split('\n')[0] ?? '';
  return cloudError(
    'REGISTRY_FAILED',
    `"${command}" failed${reason === '' ? '' : `: ${reason}`}`,
    'Run that command yourself to see all that it says.',
  );
}
