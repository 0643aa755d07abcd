import { matchesTag } from '../call/http-headers.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';

/** The names of what the caller may browse, with their rights. */
const schemaNamesRoute: Route = {
  method: 'GET',
  path: '/_internal/schema',
  answer: async (call) => answerOf(call, await call.state.schemas.names(call.context('UTC').caller)),
};

/** One collection, as far as the caller may see it. */
const schemaCollectionRoute: Route = {
  method: 'GET',
  path: '/_internal/schema/:collection',
  answer: async (call) => {
    const { name } = call.collection();
    return answerOf(call, await call.state.schemas.collection(call.context('UTC').caller, name));
  },
};

export const visibleSchemaRoutes: readonly Route[] = [schemaNamesRoute, schemaCollectionRoute];

/** The revision covers all that the answer depends on, so it is its tag too. */
function answerOf({ headers }: RouteCall, body: { readonly revision: string }): RouteAnswer {
  const etag = `W/"${body.revision}"`;
  const caching = { etag, 'cache-control': 'private, no-cache' };
  return matchesTag(headers['if-none-match'], etag)
    ? { status: 304, headers: caching }
    : { status: 200, headers: caching, body };
}
