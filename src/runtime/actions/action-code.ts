import { CloudError } from '#kernel/errors/cloud-error';
import type { SingleActionContext } from '../customizer/action-definition.ts';
import type { AnyFormValues } from '../customizer/form-value.ts';
import { legibleThrown } from '../user-code/legible-thrown.ts';
import { refusalOf } from '../user-code/refusal-of.ts';

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

const nextStep = 'Correct the code of the action, or return resultBuilder.error(…) for what its user can mend.';

/** The code of an action is wrong. Only its author may see `problem`. */
export function actionFailed(problem: string, cause?: unknown): CloudError {
  return new CloudError({
    code: 'CUSTOMIZATION_FAILED',
    message: problem,
    nextSteps: [nextStep],
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Run user code. Errors of ours pass through it, and refusals become ours; any other error becomes `CUSTOMIZATION_FAILED`. */
export async function runActionCode<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    const error = legibleThrown(thrown);
    const said = error instanceof Error ? error.message : String(error);
    throw refusalOf(error) ?? actionFailed(`${what} threw: ${said}`, error);
  }
}
