import { createReads, hasRead, type Reads } from './tracked-values.ts';

export type CellResult = { readonly value: unknown } | { readonly error: unknown };

/** One function of a form, with what it gave when it was last asked and what it had looked at. */
export interface FormCell {
  /** The field it belongs to, whose own value it replaces; `undefined` for what only reads. */
  readonly ownId: string | undefined;
  run(reads: Reads): unknown;
  reads: Reads;
  result: CellResult | undefined;
  isStale: boolean;
}

export function createCell(ownId: string | undefined, run: FormCell['run']): FormCell {
  return { ownId, run, reads: createReads(), result: undefined, isStale: true };
}

/** Never rejects: a function that throws on values that are not settled yet may do better on the next ones. */
export async function runCell(cell: FormCell): Promise<void> {
  const reads = createReads();
  cell.reads = reads;
  cell.isStale = false;
  try {
    cell.result = { value: await cell.run(reads) };
  } catch (error) {
    cell.result = { error };
  }
}

/** Mark the cells stale that looked at what has changed; a cell that makes the value of a field does not depend on it. */
export function markStale(cells: Iterable<FormCell>, changed: readonly string[]): void {
  for (const cell of cells) {
    if (changed.some((id) => id !== cell.ownId && hasRead(cell.reads, id))) cell.isStale = true;
  }
}

/** What the cell gave; `undefined` when it was not asked or threw. */
export function valueOfCell(cell: FormCell | undefined): unknown {
  return cell?.result && 'value' in cell.result ? cell.result.value : undefined;
}
