import path from 'node:path';
import { type AgentRuntime, evaluateBundle, type LoadedBundle } from '#runtime/index';
import type { AgentWorkerData, WorkerCalls } from './worker-protocol.ts';
import type { WorkerWorld } from './worker-world.ts';

/** The code that a worker serves. */
export interface CodeInService {
  readonly isLoaded: boolean;
  /** Put other code in its place. Rejects and keeps what serves, with its variables and settings, when that is refused. */
  load(input: WorkerCalls['load']['input']): Promise<WorkerCalls['load']['output']>;
}

export function createCodeInService(
  data: Pick<AgentWorkerData, 'projectRoot' | 'activityRequired'>,
  runtime: () => AgentRuntime,
  { openDataSources, replaceVariables }: Pick<WorkerWorld, 'openDataSources' | 'replaceVariables'>,
): CodeInService {
  let bundle: LoadedBundle | undefined;
  /** The variables that the code sees, besides those of the process. */
  let environment: Readonly<Record<string, string>> = {};
  let isRecordRequired = data.activityRequired;

  return {
    get isLoaded() {
      return bundle !== undefined;
    },
    async load({ code, dataSources, activityRequired = isRecordRequired, rest, environment: wanted = environment }) {
      replaceVariables(environment, wanted);
      let agent: AgentRuntime | undefined;
      let next: LoadedBundle | undefined;
      try {
        next = evaluateBundle(code, path.join(data.projectRoot, 'customization.cjs'));
        agent = runtime();
        // While one program takes the place of the other, both get what they ask for.
        agent.requireRecords(activityRequired || isRecordRequired);
        const result = await agent.load(recording(next), dataSources && openDataSources(dataSources));
        isRecordRequired = activityRequired;
        if (rest) agent.setRest(rest);
        bundle?.dispose();
        bundle = next;
        environment = wanted;
        return result;
      } catch (error) {
        next?.dispose();
        replaceVariables(wanted, environment);
        throw error;
      } finally {
        agent?.requireRecords(isRecordRequired);
      }
    },
  };
}

/** Notes the timers and listeners that the code makes while it customizes: they go when the code is replaced. */
function recording({ exported, track }: LoadedBundle): unknown {
  return typeof exported === 'function' ? (agent: unknown) => track(() => exported(agent)) : exported;
}
