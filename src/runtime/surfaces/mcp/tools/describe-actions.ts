import * as z from 'zod';
import type { ActionScope } from '../../../customizer/action-definition.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { callerOf } from './arguments.ts';
import { isPermitted } from './is-permitted.ts';
import type { PersonalCall } from './tool.ts';

/** Whoever writes a description may write a lot. */
const longestDescription = 300;

export const describedAction = z.looseObject({ name: z.string() });

interface DescribedAction extends z.input<typeof describedAction> {
  readonly type: ActionScope;
  readonly description?: string;
  readonly hasForm?: boolean;
  /** Its result is a file. */
  readonly download?: boolean;
}

/** The actions that the caller may trigger, on some records at least. */
export async function describeActions(collection: CompiledCollection, call: PersonalCall): Promise<DescribedAction[]> {
  const { authoriser } = call.state;
  const caller = callerOf(call);
  const actions = [...collection.actions.values()].map(async ({ name, definition }) => {
    if (!(await isPermitted(authoriser.requireForm(caller, collection.name, name)))) return [];
    const { scope, description, form, generateFile } = definition;
    const hasForm = typeof form === 'function' || (form !== undefined && form.length > 0);
    return [
      {
        name,
        type: scope,
        ...(description === undefined ? {} : { description: description.slice(0, longestDescription) }),
        ...(hasForm ? { hasForm } : {}),
        ...(generateFile ? { download: true } : {}),
      },
    ];
  });
  return (await Promise.all(actions)).flat();
}
