import type { FlowContext } from '../flow-context.ts';
import { compareWithFile, type RightsComparison, type RightsTarget } from './rights-of-environment.ts';

/** Say what applying the `permissions.json` of the project would change in an environment. */
export async function comparePermissions(context: FlowContext, target: RightsTarget): Promise<RightsComparison> {
  return (await compareWithFile(context, target)).comparison;
}
