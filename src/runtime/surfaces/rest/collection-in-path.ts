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

/**
 * Links and action endpoints hold collection names as they are, so that a name with a slash takes several parts of a
 * path. Such a name becomes one part: `/service/a/b/4` → `/service/a%2Fb/4`.
 *
 * @param namesWithSlash the longest first: `a/b/c` must not be taken for `a/b`.
 */
export function encodeCollectionName(url: string, prefix: string, namesWithSlash: readonly string[]): string {
  for (const start of [`${prefix}/_actions/`, `${prefix}/_charts/`, `${prefix}/`]) {
    if (!url.toLowerCase().startsWith(start.toLowerCase())) continue;
    const rest = url.slice(start.length);
    for (const name of namesWithSlash) {
      const written = [name, encodeURI(name)].find((form) => isFirstPart(rest, form));
      if (written !== undefined)
        return `${url.slice(0, start.length)}${encodeURIComponent(name)}${rest.slice(written.length)}`;
    }
  }
  return url;
}

function isFirstPart(path: string, part: string): boolean {
  if (!path.toLowerCase().startsWith(part.toLowerCase())) return false;
  return /^(?:$|[/?]|\.(?:csv|xlsx)(?:$|\?))/.test(path.slice(part.length));
}
