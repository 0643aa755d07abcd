import { createReads, hasRead, type Reads } from './action-code.ts';

export type CellResult = { readonly value: unknown } | { readonly error: unknown };

/** A function of a form, with the result of its last call and the form values that this call read. */
export interface FormCell {
  /** The field whose value the function makes; `undefined` for a function that makes another property. */
  readonly ownId: string | undefined;
  run(reads: Reads): unknown;
  reads: Reads;
  result: CellResult | undefined;
  isStale: boolean;
}

export function createCell(ownId: string | undefined, run: FormCell['run']): FormCell {
  return { ownId, run, reads: createReads(), result: undefined, isStale: true };
}

/** Never rejects: values may not be settled yet, and the function may not throw on the next ones. */
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

/** Mark the cells stale that read a changed value. A cell that makes the value of a field does not depend on that value. */
export function markStale(cells: Iterable<FormCell>, changed: readonly string[]): void {
  for (const cell of cells) {
    if (changed.some((id) => id !== cell.ownId && hasRead(cell.reads, id))) cell.isStale = true;
  }
}

/** The result of the cell; `undefined` when it was not called or threw. */
export function valueOfCell(cell: FormCell | undefined): unknown {
  return cell?.result && 'value' in cell.result ? cell.result.value : undefined;
}
