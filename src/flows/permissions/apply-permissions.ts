import type { FlowContext } from '../flow-context.ts';
import { compareWithFile, type RightsComparison, type RightsTarget } from './rights-of-environment.ts';

/** Shows what would change and asks whether to go on; not asked where nothing would. */
export type ConfirmRights = (comparison: RightsComparison) => Promise<boolean>;

export interface ApplyPermissionsInput extends RightsTarget {
  readonly confirm: ConfirmRights;
}

export interface AppliedPermissions extends RightsComparison {
  /** Whether the environment has these rights now. */
  readonly isApplied: boolean;
}

/** Give an environment the rights of the project's `permissions.json`. Rejects with `REQUEST_CONFLICT` when they change meanwhile. */
export async function applyPermissions(
  context: FlowContext,
  input: ApplyPermissionsInput,
): Promise<AppliedPermissions> {
  const { file, rights, comparison } = await compareWithFile(context, input);
  const isSame = rights.document !== null && comparison.removed.length + comparison.added.length === 0;
  if (isSame) return { ...comparison, isApplied: true };
  if (!(await input.confirm(comparison))) return { ...comparison, isApplied: false };
  const { revision } = await rights.client.replaceRights({ document: file, base: rights.revision });
  return { ...comparison, revision, isApplied: true };
}
