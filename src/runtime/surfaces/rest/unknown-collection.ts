import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { PathUnknown, RouteCall } from './call/route.ts';

/** The error for a path that leads nowhere. It names the nearest collection, if the caller may see that. */
export async function tellNearestCollection(error: PathUnknown, { state, context }: RouteCall): Promise<Error> {
  const { collection } = error;
  const nearest = collection === undefined ? undefined : nearestName(collection, state.model.collections.keys());
  if (nearest === undefined) return error;
  try {
    await state.authoriser.require(context('UTC').caller, nearest, 'browse');
  } catch (refused) {
    if (isCloudError(refused)) return error;
    throw refused;
  }
  return cloudError(
    'REQUEST_NOT_FOUND',
    `There is no collection "${collection}".${didYouMean(nearest)}`,
    `Use "${nearest}".`,
  );
}
