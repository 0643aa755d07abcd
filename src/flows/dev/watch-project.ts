import path from 'node:path';
import { type PollingReason, pollingMs, reportsChanges, type WatchListeners, watchFiles } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import type { DevEvent } from './dev-event.ts';

export interface ProjectWatchInput extends Pick<WatchListeners, 'onStir' | 'onChange'> {
  readonly root: string;
  /** Files and folders to watch from the beginning. */
  readonly paths: readonly string[];
  tell(event: DevEvent): void;
}

/** Watch the files of a project. `nextChange` resolves with the next one, whatever it is. */
export async function watchProject(
  { reporter }: FlowContext,
  { root, paths, onStir, onChange, tell }: ProjectWatchInput,
) {
  let wake: (() => void) | undefined;
  const listeners: WatchListeners = {
    onStir,
    onChange(changed, isAsAtStir) {
      wake?.();
      onChange(changed, isAsAtStir);
    },
    onPolling: (reason) => tell({ event: 'warning', message: pollingText(reason) }),
    onError(error) {
      const reason = error instanceof Error ? error.message : String(error);
      reporter.warn(`Some files cannot be watched: ${reason}`, 'Press r to reload by hand.');
    },
  };
  // The folder of the session is in the same file system, and nobody else watches it.
  const probe = () => reportsChanges(path.join(root, '.vendor-cloud'));
  const watcher = await watchFiles(paths, listeners, { probe });
  const nextChange = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return { watcher, nextChange };
}

function pollingText(reason: PollingReason): string {
  const what = `so the files of the project are looked at every ${pollingMs} ms.`;
  if (reason === 'silent') return `The file system reports no changes, ${what}`;
  return `The system has no file watches left (${reason}), ${what} "vendor-cloud doctor" says how to get more.`;
}
