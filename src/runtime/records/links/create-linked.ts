import type { RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { NewRecord } from '../request/new-record.ts';
import type { CreatedRecord, RecordService } from '../request/record-service.ts';
import { inUnitOfCall } from '../write/unit-of-call.ts';

/** The parts that creating and linking records needs. */
type LinkingService = Pick<RecordService, 'create' | 'keysTo' | 'linkToOne'>;

/**
 * Create a record with its links. A record that will hold the key of the new one may not be there; then the new one must not
 * be there either.
 */
export async function createLinkedRecord(
  service: LinkingService,
  { name, primaryKey }: { readonly name: string; readonly primaryKey: readonly string[] },
  asked: NewRecord,
  context: CallContext,
): Promise<CreatedRecord> {
  const attributes = await linkedAttributes(service, name, asked, context);
  if (asked.holders.length === 0) return { record: await service.create(name, attributes, context), holders: {} };
  const record = await inUnitOfCall(context, async (inside) => {
    const created = await service.create(name, attributes, inside);
    const id = primaryKey.map((column) => created[column]);
    for (const holder of asked.holders) {
      await service.linkToOne({ collection: name, id, relation: holder.relation }, holder.id, inside);
    }
    return created;
  });
  return { record, holders: Object.fromEntries(asked.holders.map(({ relation, key }) => [relation, key])) };
}

async function linkedAttributes(
  service: LinkingService,
  collection: string,
  { attributes, foreignKeys, references }: NewRecord,
  context: CallContext,
): Promise<RecordData> {
  const linked: Record<string, unknown> = { ...foreignKeys };
  for (const { relation, id } of references) {
    Object.assign(linked, await service.keysTo(collection, relation, id, context));
  }
  return { ...linked, ...attributes };
}
