import { createHash } from 'node:crypto';
import type { VisibleCollection, VisibleSchema } from '#contracts/visible-schema';
import { matchesTag } from '../call/http-headers.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';

/** The names of what the caller may browse, with their rights. */
const schemaNamesRoute: Route = {
  method: 'GET',
  path: '/_internal/schema',
  answer: async (call) => {
    const names = await call.state.schemas.names(call.context('UTC').caller);
    const { webhookOrigins } = call;
    return answerOf(call, { ...names, webhookOrigins }, ` ${webhookOrigins.join(' ')}`);
  },
};

/** One collection, as far as the caller may see it. */
const schemaCollectionRoute: Route = {
  method: 'GET',
  path: '/_internal/schema/:collection',
  answer: async (call) => {
    const { name } = call.collection();
    const collection = await call.state.schemas.collection(call.context('UTC').caller, name);
    // A scope narrows the values of enumerations.
    const values = () => JSON.stringify(collection.fields.map(({ enumValues }) => enumValues));
    const scoped = () => createHash('sha256').update(values()).digest('base64url').slice(0, 22);
    return answerOf(call, collection, collection.isScoped ? ` scoped ${scoped()}` : '');
  },
};

export const visibleSchemaRoutes: readonly Route[] = [schemaNamesRoute, schemaCollectionRoute];

/**
 * The revision covers what the answer says of the model, so it is its tag too.
 *
 * @param besides what else is in the answer.
 */
function answerOf({ headers }: RouteCall, body: VisibleSchema | VisibleCollection, besides = ''): RouteAnswer {
  const etag = `W/"${body.revision}${besides.trimEnd()}"`;
  const caching = { etag, 'cache-control': 'private, no-cache' };
  return matchesTag(headers['if-none-match'], etag)
    ? { status: 304, headers: caching }
    : { status: 200, headers: caching, body };
}
