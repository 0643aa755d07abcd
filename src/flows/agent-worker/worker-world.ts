import type { AgentRuntime, AgentRuntimeOptions, LogFunction } from '#runtime/index';
import type { AgentWorkerData } from './worker-protocol.ts';

/** What the entry of a worker brings along. */
export interface WorkerWorld {
  createRuntime(log: LogFunction): AgentRuntime;
  openDataSources(dataSources: AgentWorkerData['dataSources']): AgentRuntimeOptions['dataSources'];
  /** Take environment variables away from the worker, and give it others. */
  replaceVariables(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): void;
  /** A piece of work is done, and the thread may tidy up when nothing follows. */
  onWorked(): void;
}
