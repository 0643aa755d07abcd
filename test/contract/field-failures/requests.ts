import { compileModel } from '#runtime/compile/compile-model';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { createRecordService } from '#runtime/records/create-record-service';
import type { RecordService } from '#runtime/records/request/record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';

export const context = callIn('UTC');

/** The requests that an agent answers, without customizations by default, every right granted, restricted by `scopes` only. */
export function serve(
  dataSource: DataSource,
  scopes: Readonly<Record<string, ConditionTree>> = {},
  declarations: Parameters<typeof compileModel>[1] = [],
): RecordService {
  return createRecordService(compileModel([dataSource], declarations), {
    ...everythingAllowed,
    scopeOf: async (_caller, collection) => scopes[collection],
  });
}

/** The values of `field` of all records, ordered by the field. */
export async function valuesOf(
  service: RecordService,
  collection: string,
  field: string,
  where?: ConditionTree,
): Promise<unknown[]> {
  const sort = [{ field, ascending: true }];
  return (await service.list({ collection, projection: [field], where, sort }, context)).map((record) => record[field]);
}
