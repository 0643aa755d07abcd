import type { FlowContext } from '../flow-context.ts';
import { readProjectParts } from '../platform-access/project-parts.ts';
import type { Check } from './doctor-check.ts';
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
  const quiet = { ...context, reporter: { ...context.reporter, warn: () => undefined } };
  const groups = await context.reporter.step('Looking at the machine, the project and the platform', () =>
    Promise.all([checkMachine(quiet, parts), checkProject(quiet, parts), checkPlatform(quiet, parts, folder)]),
  );
  const checks = groups.flat();
  const isHealthy = checks.every(({ status }) => status !== 'failed');
  const written = bundle === undefined ? null : await writeSupportBundle(context, { file: bundle, parts, checks });
  return { checks, isHealthy, bundle: written };
}
