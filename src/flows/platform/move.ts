import { type Moved, moveStore } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';
import type { StorePlace } from './store-place.ts';
import { tellProgress } from './tell-progress.ts';

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
