import type { Check } from '#contracts/checks';
import { silentReporter } from '#kernel/ports/reporter';
import type { FlowContext } from '../flow-context.ts';
import { type ProjectParts, readProjectParts } from '../platform-access/project-parts.ts';
import { checkMachine } from './machine-checks.ts';
import { checkPlatform } from './platform-checks.ts';
import { checkProject } from './project-checks.ts';
import { writeSupportBundle } from './support-bundle.ts';

export interface Examination {
  readonly checks: readonly Check[];
  /** Whether no check failed. */
  readonly isHealthy: boolean;
  /** Absolute path of the support bundle, where one was asked for. */
  readonly bundle: string | null;
}

/**
 * Look at everything that commands need, and change nothing of it. Works outside a project too.
 *
 * @param bundle where to write what was found, without secrets; the file must not exist. Rejects with `USAGE_INVALID` where it does.
 */
export async function examine(
  context: FlowContext,
  { folder, bundle }: { readonly folder: string; readonly bundle: string | undefined },
): Promise<Examination> {
  const parts = await readProjectParts(context, folder);
  const checks = await context.reporter.step('Looking at the machine, the project and the platform', () =>
    lookAt({ ...context, reporter: { ...context.reporter, warn: () => undefined } }, folder, parts),
  );
  const isHealthy = checks.every(({ status }) => status !== 'failed');
  const written = bundle === undefined ? null : await writeSupportBundle(context, { file: bundle, parts, checks });
  return { checks, isHealthy, bundle: written };
}

/** The same for the pages of a platform, which nobody sees in its terminal. */
export async function examineQuietly(context: FlowContext, folder: string): Promise<readonly Check[]> {
  const quiet = { ...context, reporter: silentReporter };
  return lookAt(quiet, folder, await readProjectParts(quiet, folder));
}

async function lookAt(context: FlowContext, folder: string, parts: ProjectParts): Promise<readonly Check[]> {
  const groups = [checkMachine(context, parts), checkProject(context, parts), checkPlatform(context, parts, folder)];
  return (await Promise.all(groups)).flat();
}
