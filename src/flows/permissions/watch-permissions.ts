import path from 'node:path';
import type { RightsWatch } from '#contracts/rights';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import {
  compareRights,
  compareWithFile,
  type RightsComparison,
  type RightsTarget,
  readRights,
} from '../platform-access/rights-of-environment.ts';

export interface WatchPermissionsInput extends RightsTarget {
  /** Begin with this file; `undefined` to look at what is watched. */
  readonly file: string | undefined;
  readonly isEnding: boolean;
}

export interface WatchedPermissions extends RightsWatch {
  readonly environment: string;
  readonly change: 'started' | 'ended' | null;
}

/**
 * Have the platform hold what people do against a file that nobody is refused by, look at what it would have refused, or end it.
 * Rejects with `PERMISSION_FILE_INVALID`.
 */
export async function watchPermissions(
  context: FlowContext,
  { file: name, isEnding, ...target }: WatchPermissionsInput,
): Promise<WatchedPermissions> {
  if (name !== undefined && isEnding) {
    throw cloudError('USAGE_INVALID', 'A file begins a watch, and --end ends it.', 'Leave out one of the two.');
  }
  if (name !== undefined) {
    const { file, rights } = await compareWithFile(context, target, path.resolve(context.workingFolder, name));
    const { environment, client } = rights;
    return { environment, change: 'started', ...(await client.watchRights(file)) };
  }
  const { environment, client } = await readRights(context, target);
  const found = await client.rightsWatch();
  if (!isEnding) return { environment, change: null, ...found };
  if (!found.watch) throw nothingWatched(environment);
  await client.endRightsWatch();
  return { environment, change: 'ended', ...found };
}

/** The file that an environment is watched with, beside its rights. */
export async function compareWithWatch(context: FlowContext, target: RightsTarget) {
  const rights = await readRights(context, target);
  const { watch } = await rights.client.rightsWatch();
  if (!watch) throw nothingWatched(rights.environment);
  const comparison: RightsComparison = await compareRights(rights, watch.document);
  return { file: watch.document, rights, comparison };
}

function nothingWatched(environment: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `Nobody watches "${environment}" with a file of permissions.`,
    `Begin: vendor-cloud permissions watch permissions.next.json --env ${environment}`,
  );
}
