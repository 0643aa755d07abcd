import type { SingleActionContext } from '../customizer/action-definition.ts';
import type { AnyFormValues } from '../customizer/form-value.ts';

/** The form values that a function has read. */
export interface Reads {
  readonly ids: Set<string>;
  /** The function read all of them: it spread the object, or listed its keys. */
  all: boolean;
}

export function createReads(): Reads {
  return { ids: new Set(), all: false };
}

export function hasRead(reads: Reads, id: string): boolean {
  return reads.all || reads.ids.has(id);
}

/** The values of a form as user code sees them: read-only. `reads` notes the ones it reads. */
function trackedValues(values: Readonly<Record<string, unknown>>, reads: Reads): AnyFormValues {
  return new Proxy(values as AnyFormValues, {
    get(target, key) {
      if (typeof key === 'symbol') return Reflect.get(target, key);
      reads.ids.add(key);
      return Reflect.get(target, key);
    },
    has(target, key) {
      if (typeof key === 'string') reads.ids.add(key);
      return Object.hasOwn(target, key);
    },
    ownKeys(target) {
      reads.all = true;
      return Reflect.ownKeys(target);
    },
    getOwnPropertyDescriptor(target, key) {
      if (typeof key === 'string') reads.ids.add(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    set: (_target, key) => refuse(key),
    defineProperty: (_target, key) => refuse(key),
    deleteProperty: (_target, key) => refuse(key),
    setPrototypeOf: () => refuse('its prototype'),
  });
}

function refuse(key: string | symbol): never {
  throw new TypeError(
    `formValues is read-only: "${String(key)}" cannot be set. Give the field a "value" function instead.`,
  );
}

/** The part of an action's context that does not depend on its form. */
export type ActionCall = Omit<SingleActionContext, 'formValues' | 'hasFieldChanged'>;

/** The context of one function of a form. `reads` notes the values it reads and the fields it asks about. */
export function formContext(
  call: ActionCall,
  values: Readonly<Record<string, unknown>>,
  reads: Reads,
  changedField: string | undefined,
): SingleActionContext {
  return extended(call, {
    formValues: trackedValues(values, reads),
    hasFieldChanged: (id: string) => {
      reads.ids.add(id);
      return id === changedField;
    },
  });
}

/** `context` with more members. Getters stay getters, so their values are made only when somebody reads them. */
export function extended<Context extends object, More extends object>(context: Context, more: More): Context & More {
  const members = { ...Object.getOwnPropertyDescriptors(context), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({}, members) as Context & More;
}

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
