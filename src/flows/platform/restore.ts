import path from 'node:path';
import { restoreBackup } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import type { StorePlace } from './store-place.ts';
import { tellProgress } from './tell-progress.ts';

export interface RestoreInput {
  /** Path of the backup, from the working folder. */
  readonly from: string;
  /** A place without a store. */
  readonly store: StorePlace;
}

export interface RestoreResult {
  readonly file: string;
  readonly store: string;
  readonly tables: number;
  readonly rows: number;
  /** When the backup was made, ISO 8601. */
  readonly madeAt: string;
}

/** Make a store from a backup. */
export async function restore(context: FlowContext, { from, store }: RestoreInput): Promise<RestoreResult> {
  const file = path.resolve(context.workingFolder, from);
  context.reporter.info(`Restoring ${file} into ${store.name}`);
  const { tables, rows, header } = await restoreBackup({ file, store: store.address, progress: tellProgress(context) });
  return { file, store: store.name, tables, rows, madeAt: header.madeAt };
}
