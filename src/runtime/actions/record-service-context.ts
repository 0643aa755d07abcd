import { CloudError } from '#kernel/errors/cloud-error';
import type {
  ContextAggregation,
  ContextCollection,
  ContextDataSource,
  ContextFilter,
  CustomizationContext,
} from '../customizer/customization-context.ts';
import { conditionOfIds } from '../http/packed-id.ts';
import type { CompiledCollection, CompiledModel } from '../plan/compiled-model.ts';
import { columnLookup } from '../plan/field-path.ts';
import type { CallContext, RecordQuery, RecordService } from '../plan/record-service.ts';
import { aggregateRecords } from '../query/aggregate-records.ts';

/** What handlers are called with, read and written through the record service: with the rights of the caller. */
export function recordServiceContext(
  model: CompiledModel,
  service: RecordService,
  call: CallContext,
  collection: string,
): CustomizationContext {
  const dataSource = recordServiceDataSource(model, service, call);
  return { caller: call.caller, collection: dataSource.getCollection(collection), dataSource };
}

export function recordServiceDataSource(
  model: CompiledModel,
  service: RecordService,
  call: CallContext,
): ContextDataSource {
  return {
    getCollection: (name) => {
      const collection = model.collections.get(name);
      if (collection) return contextCollection(model, service, call, collection);
      throw new CloudError({
        code: 'CUSTOMIZATION_FAILED',
        message: `There is no collection "${name}".`,
        nextSteps: ['Use the name of a collection of the agent.'],
      });
    },
  };
}

function contextCollection(
  model: CompiledModel,
  service: RecordService,
  call: CallContext,
  collection: CompiledCollection,
): ContextCollection {
  const { name, primaryKey } = collection;
  const keysOf = async (filter: ContextFilter): Promise<readonly (readonly unknown[])[]> => {
    const records = await service.list(queryOf(name, filter, primaryKey), call);
    return records.map((record) => primaryKey.map((column) => record[column]));
  };
  return {
    name,
    list: (filter, projection) => service.list(queryOf(name, filter, [...projection]), call),
    aggregate: async (filter, { operation, field, groups = [] }, limit) => {
      const read = [...(field === undefined ? [] : [field]), ...groups.map((group) => group.field)];
      const records = await service.list(queryOf(name, filter, read.length > 0 ? read : primaryKey), call);
      const planned = { operation, field, groups: groups.map(plannedGroup) };
      return aggregateRecords(records, planned, columnLookup(model, collection), call.caller.timezone, limit);
    },
    create: (records) => Promise.all(records.map((record) => service.create(name, record, call))),
    update: async (filter, patch) => {
      const updated = await Promise.all((await keysOf(filter)).map((key) => service.update(name, key, patch, call)));
      return updated.filter((record) => record !== null).length;
    },
    delete: async (filter) => {
      const keys = await keysOf(filter);
      if (keys.length === 0) return 0;
      return service.delete(name, conditionOfIds(collection, keys), call);
    },
  };
}

function plannedGroup({ field, operation }: NonNullable<ContextAggregation['groups']>[number]) {
  return { field, bucket: operation };
}

function queryOf(collection: string, filter: ContextFilter, projection: readonly string[]): RecordQuery {
  const { conditionTree: where, search, searchExtended: isSearchExtended, segment, sort, page } = filter;
  return { collection, where, search, isSearchExtended, segment, sort, page, projection };
}
