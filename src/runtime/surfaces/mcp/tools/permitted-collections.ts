import { isCloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import type { PersonalCall } from './tool.ts';

/** The collections that the caller may browse, in the order of the model. */
export async function visibleCollections(call: PersonalCall): Promise<readonly CompiledCollection[]> {
  const { model, authoriser } = call.state;
  const rights = await authoriser.rightsOf(call.claims);
  return [...model.collections.values()].filter(({ name }) => rights.has(name, 'browse'));
}

/** Whether the authoriser permits what it was asked for. Rejects with what kept it from deciding. */
export async function isPermitted(asked: Promise<void>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (isCloudError(error) && error.code === 'REQUEST_FORBIDDEN') return false;
    throw error;
  }
}
