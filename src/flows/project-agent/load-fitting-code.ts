import { type CloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { WorkerLoad } from '../agent-worker/worker-protocol.ts';
import type { WorkerThread } from '../agent-worker/worker-thread.ts';
import type { TableChange } from './table-changes.ts';

/** A program that reads the tables and customizes nothing. */
export const noCode = 'module.exports = () => undefined;';

export interface FittingLoad {
  readonly load: WorkerLoad;
  /** Why only a part of the code is served; `undefined` where all of it is. */
  readonly refusal: CloudError | undefined;
}

/** What became of a change of the tables. */
export interface FollowedTables extends FittingLoad {
  readonly changes: readonly TableChange[];
}

/** Load code where nobody waits for the worker, so that it may take its time. */
export async function loadAtLeisure(thread: WorkerThread, code: string, isLenient = false): Promise<WorkerLoad> {
  const result = await thread.call('load', { code, isLenient });
  if (result === null) throw new TypeError('A load without a limit was cut short.');
  return result;
}

/** Load code, or whatever of it fits to the tables. */
export async function loadFittingCode(thread: WorkerThread, code: string): Promise<FittingLoad> {
  try {
    return { load: await loadAtLeisure(thread, code), refusal: undefined };
  } catch (error) {
    if (thread.isEnded) throw error;
    return { load: await loadAtLeisure(thread, code, true), refusal: toCloudError(error) };
  }
}
