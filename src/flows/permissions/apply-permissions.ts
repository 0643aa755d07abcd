import type { FlowContext } from '../flow-context.ts';
import { compareWithFile, type RightsComparison, type RightsTarget, refuseLockout } from './rights-of-environment.ts';

/** Shows what would change and asks whether to go on; not asked where nothing would. */
export type ConfirmRights = (comparison: RightsComparison) => Promise<boolean>;

export interface ApplyPermissionsInput extends RightsTarget {
  readonly confirm: ConfirmRights;
  /** Set rights after which no administrator may browse. */
  readonly allowLockout: boolean;
}

export interface AppliedPermissions extends RightsComparison {
  /** Whether the environment has these rights now. */
  readonly isApplied: boolean;
}

/**
 * Give an environment the rights of the project's `permissions.json`. Rejects with `REQUEST_CONFLICT` when they change meanwhile, and with
 * `ADMINISTRATORS_LOCKED_OUT`.
 */
export async function applyPermissions(
  context: FlowContext,
  input: ApplyPermissionsInput,
): Promise<AppliedPermissions> {
  const { file, rights, comparison } = await compareWithFile(context, input);
  const isSame = rights.document !== null && comparison.removed.length + comparison.added.length === 0;
  if (isSame) return { ...comparison, isApplied: true };
  const { allowLockout } = input;
  if (!allowLockout) refuseLockout(comparison, file);
  if (!(await input.confirm(comparison))) return { ...comparison, isApplied: false };
  const { revision } = await rights.client.replaceRights({ document: file, base: rights.revision, allowLockout });
  return { ...comparison, revision, isApplied: true };
}
