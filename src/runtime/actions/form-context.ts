import type { SingleActionContext } from '../customizer/action-definition.ts';
import { type Reads, trackedValues } from './tracked-values.ts';

/** What of an action's context does not depend on its form. */
export type ActionCall = Omit<SingleActionContext, 'formValues' | 'hasFieldChanged'>;

/** The context of one function of a form. What it reads, and what it asks about, is noted in `reads`. */
export function formContext(
  call: ActionCall,
  values: Readonly<Record<string, unknown>>,
  reads: Reads,
  changedField: string | undefined,
): SingleActionContext {
  return {
    ...call,
    formValues: trackedValues(values, reads),
    hasFieldChanged: (id) => {
      reads.ids.add(id);
      return id === changedField;
    },
  };
}
