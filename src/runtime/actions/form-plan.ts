import {
  type AnyFormElement,
  type AnyFormField,
  childrenOf,
  fieldId,
  isDynamic,
  isLayout,
} from '../customizer/form-element.ts';
import { createReads, hasRead, type Reads } from './action-code.ts';
import type { FormSearch } from './evaluated-form.ts';

/** An element, and the functions in it. */
export interface PlannedElement {
  readonly element: AnyFormElement;
  /** The conditions of the element and of the elements around it. The element is visible when all of them hold. */
  readonly conditions: readonly FormCell[];
  /** Its dynamic properties, by name. */
  readonly properties: ReadonlyMap<string, FormCell>;
  readonly children: readonly PlannedElement[];
  /** Only for fields. */
  readonly field?: PlannedField;
}

interface PlannedField {
  readonly id: string;
  readonly element: AnyFormField;
  readonly defaultCell: FormCell | undefined;
  readonly valueCell: FormCell | undefined;
}

/** A planned element that is a field. */
export interface PlannedFormField extends PlannedElement {
  readonly field: PlannedField;
}

/** Calls a function of the form with its context. `ownId` is the field whose value the function makes. */
export type CallFormFunction = (
  run: (...parameters: unknown[]) => unknown,
  reads: Reads,
  ownId: string | undefined,
  ...more: readonly unknown[]
) => unknown;

/** Properties that are never functions, or that have cells of their own. */
const structural: ReadonlySet<string> = new Set([
  'type',
  'component',
  'id',
  'label',
  'if',
  'fields',
  'elements',
  'defaultValue',
  'value',
]);

/** Find the functions of a form. The elements never change: one list serves many calls. */
export function planForm(
  elements: readonly AnyFormElement[],
  call: CallFormFunction,
  search: FormSearch | undefined,
): readonly PlannedElement[] {
  const cellOf = (value: unknown, ownId?: string, ...more: readonly unknown[]): FormCell | undefined => {
    if (!isDynamic(value)) return undefined;
    return createCell(ownId, (reads) => (typeof value === 'function' ? call(value, reads, ownId, ...more) : value));
  };

  const planElement = (element: AnyFormElement, outer: readonly FormCell[]): PlannedElement => {
    const condition = cellOf(element['if']);
    const conditions = condition ? [...outer, condition] : outer;
    const properties = new Map<string, FormCell>();
    const text = !isLayout(element) && search?.fieldId === fieldId(element) ? search.text : undefined;
    for (const [name, value] of Object.entries(element)) {
      const cell = structural.has(name) ? undefined : cellOf(value, undefined, ...(name === 'options' ? [text] : []));
      if (cell) properties.set(name, cell);
    }
    const children = childrenOf(element).map((child) => planElement(child, conditions));
    const planned = { element, conditions, properties, children };
    if (isLayout(element)) return planned;
    const id = fieldId(element);
    const defaultCell = cellOf(element['defaultValue'], id);
    return { ...planned, field: { id, element, defaultCell, valueCell: cellOf(element['value'], id) } };
  };

  return elements.map((element) => planElement(element, []));
}

/** Every element, children included, in their visible order. */
export function flattenPlan(plan: readonly PlannedElement[]): readonly PlannedElement[] {
  return plan.flatMap((planned) => [planned, ...flattenPlan(planned.children)]);
}

export function fieldsOfPlan(plan: readonly PlannedElement[]): readonly PlannedFormField[] {
  return flattenPlan(plan).filter((planned): planned is PlannedFormField => planned.field !== undefined);
}

type CellResult = { readonly value: unknown } | { readonly error: unknown };

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
