import path from 'node:path';
import { dashboardsOf } from '#contracts/dashboards';
import {
  type AgentRuntime,
  type AgentRuntimeOptions,
  type Bound,
  evaluateBundle,
  type LoadedBundle,
  type LogFunction,
  RunOverdue,
  runBounded,
} from '#runtime/index';
import type { AgentWorkerData, WorkerCalls } from './worker-protocol.ts';

/** What the entry of a worker brings along. */
export interface AgentWorkerPorts {
  createRuntime(log: LogFunction): AgentRuntime;
  openDataSources(dataSources: AgentWorkerData['dataSources']): AgentRuntimeOptions['dataSources'];
  /** Take environment variables away from the worker, and give it others. */
  replaceVariables(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): void;
  /** A piece of work is done, and the thread may tidy up when nothing follows. */
  onWorked(): void;
}

/** The code that a worker serves. */
export interface CodeInService {
  readonly isLoaded: boolean;
  /** Whether code was ended in the middle of its loading. It may have left modules half loaded, which other code would get. */
  readonly isCutShort: boolean;
  /**
   * Put other code in its place. Rejects and keeps what serves, with its variables and settings, when that is refused. Resolves to
   * `null`, and keeps the same, when the code was ended because it took longer than `limitMs`.
   */
  load(input: WorkerCalls['load']['input']): Promise<WorkerCalls['load']['output']>;
}

export function createCodeInService(
  data: Pick<AgentWorkerData, 'projectRoot' | 'activityRequired'>,
  runtime: () => AgentRuntime,
  { openDataSources, replaceVariables }: Pick<AgentWorkerPorts, 'openDataSources' | 'replaceVariables'>,
): CodeInService {
  let bundle: LoadedBundle | undefined;
  /** The variables that the code sees, besides those of the process. */
  let environment: Readonly<Record<string, string>> = {};
  let isRecordRequired = data.activityRequired;
  let isCutShort = false;

  return {
    get isLoaded() {
      return bundle !== undefined;
    },
    get isCutShort() {
      return isCutShort;
    },
    async load(input) {
      const { code, dataSources, activityRequired = isRecordRequired, environment: wanted = environment } = input;
      const { rest, limitMs, isLenient, codeVersion } = input;
      replaceVariables(environment, wanted);
      let isOverdue = false;
      const bound: Bound = (work) => {
        if (limitMs === undefined) return work();
        try {
          return runBounded(work, limitMs);
        } catch (error) {
          isOverdue ||= error instanceof RunOverdue;
          throw error;
        }
      };
      let agent: AgentRuntime | undefined;
      let next: LoadedBundle | undefined;
      try {
        next = evaluateBundle(code, path.join(data.projectRoot, 'customization.cjs'), bound);
        agent = runtime();
        // While one program takes the place of the other, both get what they ask for.
        agent.requireRecords(activityRequired || isRecordRequired);
        const result = await agent.load(recording(next, bound), dataSources && openDataSources(dataSources), {
          isLenient,
          codeVersion,
          dashboards: dashboardsOf(code),
        });
        isRecordRequired = activityRequired;
        if (rest) agent.setRest(rest);
        bundle?.dispose();
        bundle = next;
        environment = wanted;
        return result;
      } catch (error) {
        next?.dispose();
        replaceVariables(wanted, environment);
        if (!isOverdue) throw error;
        isCutShort = true;
        return null;
      } finally {
        agent?.requireRecords(isRecordRequired);
      }
    },
  };
}

/** Notes the timers and listeners that the code makes while it customizes: they go when the code is replaced. */
function recording({ exported, track }: LoadedBundle, bound: Bound): unknown {
  return typeof exported === 'function' ? (agent: unknown) => track(() => bound(() => exported(agent))) : exported;
}
