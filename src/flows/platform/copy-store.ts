import path from 'node:path';
import { type Backup, type Moved, moveStore, type Progress, restoreStore, writeBackup } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import { knownPlatformKey } from './known-platform-key.ts';
import type { StorePlace } from './store-place.ts';

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

interface RestoreInput {
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
  const platformKey = await knownPlatformKey(context, store);
  if (platformKey === undefined) context.reporter.warn(...unsigned);
  const { clock, random } = context;
  const { tables, rows, header } = await restoreStore({
    ...{ file, store: store.address, platformKey, clock, random },
    progress: tellProgress(context),
  });
  return { file, store: store.name, tables, rows, madeAt: header.madeAt };
}

const unsigned = [
  'The platform key is not here, so the audit log cannot say that it was restored: `platform verify` will report rows that were written after the backup as removed.',
  'Put platform.key beside the store, or set SERVICE_PLATFORM_KEY, and restore again.',
] as const;

export interface MoveResult extends Moved {
  readonly from: string;
  readonly to: string;
}

/** Copy a store to another place that has none. */
export async function move(context: FlowContext, from: StorePlace, to: StorePlace): Promise<MoveResult> {
  context.reporter.info(`Copying ${from.name} to ${to.name}`);
  const moved = await moveStore({ from: from.address, to: to.address, progress: tellProgress(context) });
  return { from: from.name, to: to.name, ...moved };
}

/** Reports a line for each table, and for every few thousand rows of a large one. */
function tellProgress({ reporter }: FlowContext): Progress {
  return (table, rows, isDone) =>
    reporter.info(`  ${table}: ${rows} ${rows === 1 ? 'row' : 'rows'}${isDone ? '' : ' …'}`);
}
