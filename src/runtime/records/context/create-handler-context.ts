import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { ContextDataSource, CustomizationContext } from '../../customizer/customization-context.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { contextMisused } from '../../user-code/call-handler.ts';
import { refusing } from '../../user-code/refusals.ts';
import type { CallContext } from '../calls/call-context.ts';
import { callOfOthers } from '../calls/query-context.ts';
import type { ContextFactory } from '../read/create-record-engine.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { inUnitOfCall } from '../write/unit-of-call.ts';
import { createContextCollection } from './context-collection.ts';
import { createStoreCollection } from './store-collection.ts';

/**
 * The context of a handler of `collection`. Collections in it are made on demand. Deleted records are hidden from it,
 * whatever the request shows.
 */
export const createHandlerContext: ContextFactory = (engine, collection, asked, level): CustomizationContext => {
  const call = callOfOthers(asked);
  const own = (on: CallContext): CustomizationContext['collection'] =>
    level === 'store' ? createStoreCollection(collection, on) : createContextCollection(engine, collection, on);
  return {
    caller: Object.freeze({ ...call.caller }),
    get collection() {
      return own(call);
    },
    dataSource: createContextDataSource(engine, call),
    inTransaction: (work) =>
      inUnitOfCall(call, async (inside) =>
        work({ collection: own(inside), dataSource: createContextDataSource(engine, inside) }),
      ),
    ...refusing,
  };
};

/** Every collection, customizations included. */
export function createContextDataSource(engine: RecordEngine, call: CallContext): ContextDataSource {
  return { getCollection: (name) => createContextCollection(engine, named(engine, name), call) };
}

function named(engine: RecordEngine, name: string): CompiledCollection {
  const found = engine.model.collections.get(name);
  if (found) return found;
  const suggestion = didYouMean(nearestName(String(name), engine.model.collections.keys()));
  throw contextMisused(`Customization code asked for a collection that is not there: "${name}".${suggestion}`);
}
