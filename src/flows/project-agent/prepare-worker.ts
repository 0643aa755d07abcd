import type { Project } from '#project/index';
import { StartedWorker, type StartedWorkerInput } from '../agent-worker/started-worker.ts';
import type { FlowContext } from '../flow-context.ts';

/** A reload of a large model makes 16 MB of new objects. They fit in, so that V8 collects nothing on its way. */
export const youngHalfMb = 32;

/** Start the first worker of a project beside other work: it loads the code of this package meanwhile, on another processor. */
export function prepareWorker(
  { agentWorkerUrl }: Pick<FlowContext, 'agentWorkerUrl'>,
  { dataSources }: Pick<Project, 'dataSources'>,
  further: Omit<StartedWorkerInput['data'], 'dataSources'>,
): StartedWorker {
  return new StartedWorker({ url: agentWorkerUrl, data: { dataSources, ...further }, youngHalfMb });
}
