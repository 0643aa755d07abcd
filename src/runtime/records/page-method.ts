import { collectionNamed } from '../model/compiled-model.ts';
import type { RecordData } from '../query/record-query.ts';
import { type Keyset, keysetOf } from './read/keyset.ts';
import { readList } from './request/read-list.ts';
import type { ReadPlan } from './request/read-plan.ts';
import type { RecordReader } from './request/record-reader.ts';
import type { PlaceInList, RecordService } from './request/record-service.ts';
import { settleList } from './settle-list.ts';

/** Reads a page behind a place, by the values of the last record before it where the database can. */
export function pageMethod(reader: RecordReader): RecordService['page'] {
  const { model, authoriser, engine } = reader;
  return async (asked, context) => {
    const collection = collectionNamed(model, asked.collection);
    await authoriser.require(context.caller, collection.name, 'browse');
    const { size, after, ...query } = asked.read();
    const { plan, fetched } = await settleList(reader, collection, query, context);
    const original = engine.collectionNamed(collection.name);
    const keyset = keysetOf(engine, original, fetched.sort);
    const sort = keyset?.sort ?? fetched.sort;
    const stretches = after?.values && keyset?.after(after.values);
    const skip = after?.skip ?? 0;
    // One more record tells whether there is a next page.
    const page = { skip: stretches ? 0 : skip, limit: size + 1 };
    const read: RecordData[] = [];
    const kept = keeping(plan, keyset, read);
    const found = await readList(
      reader,
      { collection, plan: kept },
      { where: fetched.where, sort, page, stretches },
      query,
      context,
    );
    return {
      records: found.slice(0, size),
      hasMore: found.length > size,
      async placeBehind(records) {
        const last = read[records - 1];
        const values = last && sendable(await keyset?.placeOf(last, context));
        return { skip: skip + records, ...(values ? { values } : {}) };
      },
    };
  };
}

/** A plan that reads the fields of a keyset besides, and keeps the records as they were read. */
function keeping(plan: ReadPlan, keyset: Keyset | undefined, read: RecordData[]): ReadPlan {
  const projection = [...new Set([...plan.projection, ...(keyset?.fields ?? [])])];
  const isWider = projection.length > plan.projection.length;
  // Some plans show whatever was read.
  const present = isWider ? (record: RecordData) => plan.publish(plan.unfold(record)) : plan.present;
  const keep = (record: RecordData) => {
    read.push(record);
    return record;
  };
  return {
    ...plan,
    projection,
    present: (record) => present(keep(record)),
    unfold: (record) => plan.unfold(keep(record)),
  };
}

/** The values, where JSON holds each of them as it is. */
function sendable(values: readonly unknown[] | undefined): PlaceInList['values'] {
  const isSendable = (value: unknown) => {
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
    return value === null || typeof value === 'string' || typeof value === 'boolean';
  };
  return values?.every(isSendable) ? values : undefined;
}
