import type { ExplainedPermissions, PermissionQuestion } from '#runtime/index';
import { loadOnce, nobodyIdentity } from '../dev/load-once.ts';
import type { FlowContext } from '../flow-context.ts';
import { connectAsAgent } from '../platform-access/connect-to-platform.ts';

/** Say what somebody may do with a collection of the project, as the platform and the code are now. */
export function explainPermissions(
  context: FlowContext,
  folder: string,
  question: PermissionQuestion,
): Promise<ExplainedPermissions> {
  return loadOnce(context, folder, ({ agent }) => agent.explainPermissions(question), {
    platformOf: async (project) => ({ ...(await connectAsAgent(context, project)), identity: nobodyIdentity }),
  });
}
