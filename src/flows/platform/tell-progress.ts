import type { Progress } from '#platform/index';
import type { FlowContext } from '../flow-context.ts';

/** Reports a line for each table, and for every few thousand rows of a large one. */
export function tellProgress({ reporter }: FlowContext): Progress {
  return (table, rows, isDone) =>
    reporter.info(`  ${table}: ${rows} ${rows === 1 ? 'row' : 'rows'}${isDone ? '' : ' …'}`);
}
