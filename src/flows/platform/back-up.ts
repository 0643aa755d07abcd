import path from 'node:path';
import { type Backup, writeBackup } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import type { StorePlace } from './store-place.ts';
import { tellProgress } from './tell-progress.ts';

export interface BackUpInput {
  readonly store: StorePlace;
  /** Path of the file, from the working folder. */
  readonly to: string;
}

export interface BackUpResult extends Backup {
  readonly store: string;
  readonly file: string;
}

/** Write everything in a store into one file, also while its platform runs. */
export async function backUp(context: FlowContext, { store, to }: BackUpInput): Promise<BackUpResult> {
  const file = path.resolve(context.workingFolder, to);
  context.reporter.info(`Backing up ${store.name}`);
  const backup = await writeBackup({
    store: store.address,
    file,
    madeAt: new Date(context.clock.now()).toISOString(),
    madeBy: context.package.version,
    progress: tellProgress(context),
  });
  return { store: store.name, file, ...backup };
}
