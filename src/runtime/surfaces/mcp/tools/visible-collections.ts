import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { callerOf } from './arguments.ts';
import { isPermitted } from './is-permitted.ts';
import type { PersonalCall } from './tool.ts';

/** The collections that the caller may browse, in the order of the model. */
export async function visibleCollections(call: PersonalCall): Promise<readonly CompiledCollection[]> {
  const { model, authoriser } = call.state;
  const caller = callerOf(call);
  const all = [...model.collections.values()];
  const isVisible = await Promise.all(all.map(({ name }) => isPermitted(authoriser.require(caller, name, 'browse'))));
  return all.filter((_, index) => isVisible[index]);
}
