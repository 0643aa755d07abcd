import type { ActivityEntry as Reported } from '#contracts/activity';
import { type ActivityEntry, type RecordsEntry, type RowPlace, valuesPart } from '#contracts/audit/rows';
import {
  type ActivityValues,
  type KeptValues,
  keptValuesSchema,
  type MissingValuesReason,
  type RecordedWrite,
  type RecordHistory,
  type RecordHistoryQuery,
} from '#contracts/history';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import { type ChainRecord, findChain } from '../audit/audit-chains.ts';
import { readLog } from '../audit/read-log.ts';
import type { Store } from '../store/store.ts';

type Db = Store['db'];

/** The values of reported records, sealed. Each text says which act and record it is about, so that it counts in no other place. */
export async function sealedRecords(
  reported: readonly Reported[],
  sealed: SealedTexts,
): Promise<ReadonlyMap<ActivityValues, readonly string[]>> {
  const texts = new Map<ActivityValues, readonly string[]>();
  for (const each of reported) {
    if (!('values' in each) || !('records' in each.values)) continue;
    const { records } = each.values;
    texts.set(
      each,
      await Promise.all(records.map((record) => sealed.seal(JSON.stringify({ act: each.id, ...record })))),
    );
  }
  return texts;
}

/** The histories of records, for agents. */
export interface RecordHistories {
  of(environmentId: number, asked: RecordHistoryQuery): Promise<RecordHistory>;
}

/** A page of a history looks at no more rows than that. */
const maxWalked = 20_000;

export function createRecordHistories(db: Db, sealed: SealedTexts): RecordHistories {
  return {
    of: async (environmentId, { collection, recordId, before, limit }) => {
      const chain = await findChain(db, { kind: 'activity', environmentId });
      if (!chain) return { writes: [], next: null };
      const filter = { collection, recordId, type: 'write' } as const;
      const { rows, hasMore, last } = await readLog(db, chain, filter, {
        limit,
        order: 'desc',
        after: before,
        maxWalked,
      });
      const acts = rows.flatMap(({ entry, status }) =>
        isWrite(entry) && status !== 'failed' ? { entry, status } : [],
      );
      const values = await valuesOf(
        db,
        chain,
        acts.map(({ entry }) => entry),
        recordId,
        sealed,
      );
      const writes = acts.map(({ entry, status }) => ({
        ...writeOf(entry, status === 'pending' ? 'pending' : 'completed'),
        ...(values.get(entry.sequence) ?? { values: null, missing: null }),
      }));
      return { writes, next: hasMore ? (last ?? null) : null };
    },
  };
}

type Act = ActivityEntry & RowPlace;

function isWrite(entry: { readonly object: string }): entry is Act {
  return entry.object === 'activityLog';
}

function writeOf(
  { sequence, id, occurredAt, action, label, undoes, user, client, tool, fields = [] }: Act,
  status: RecordedWrite['status'],
): Omit<RecordedWrite, 'values' | 'missing'> {
  const { id: userId, email, username } = user;
  return {
    ...{ sequence, id, occurredAt, action, status, fields: [...fields] },
    user: { id: userId, name: username, email },
    ...(label === undefined ? {} : { label }),
    ...(undoes === undefined ? {} : { undoes }),
    ...(client === undefined ? {} : { client: client.name }),
    ...(tool === undefined ? {} : { tool }),
  };
}

type Found = Pick<RecordedWrite, 'values' | 'missing'>;

/** What is kept of a record for each of some acts, by their rows. */
async function valuesOf(
  db: Db,
  chain: ChainRecord,
  acts: readonly Act[],
  recordId: string,
  sealed: SealedTexts,
): Promise<ReadonlyMap<number, Found>> {
  if (acts.length === 0) return new Map();
  const ids = new Map(acts.map(({ id, sequence }) => [id, sequence]));
  const rows = await db
    .selectFrom('auditRows')
    .select(['id', 'body'])
    .where('chainId', '=', chain.id)
    .where('id', 'in', [...ids.keys()])
    .where('part', '=', valuesPart)
    .where('sequence', '>=', chain.firstSequence)
    .execute();
  const texts = await db
    .selectFrom('auditValues')
    .select(['actSequence', 'sealed'])
    .where('chainId', '=', chain.id)
    .where('actSequence', 'in', [...ids.values()])
    .where('recordId', '=', recordId)
    .where('sequence', '>=', chain.firstSequence)
    .execute();
  const kept = new Map(texts.map(({ actSequence, sealed: text }) => [actSequence, text]));
  const found = new Map<number, Found>();
  for (const { id, body } of rows) {
    const { actSequence, recordIds, unkept } = JSON.parse(body) as RecordsEntry;
    const text = kept.get(actSequence);
    const values = text === undefined ? undefined : await opened(sealed, text, { act: id, recordId });
    const isOfRecord = unkept !== undefined || recordIds.includes(recordId);
    if (isOfRecord) found.set(actSequence, values ? { values, missing: null } : missing(unkept, text));
  }
  return found;
}

function missing(unkept: RecordsEntry['unkept'], text: string | undefined): Found {
  const reason: MissingValuesReason = unkept ?? (text === undefined ? 'erased' : 'unreadable');
  return { values: null, missing: reason };
}

/** `undefined` for what another key has sealed, and for what belongs to another act or record. */
async function opened(
  sealed: SealedTexts,
  text: string,
  place: { readonly act: string; readonly recordId: string },
): Promise<KeptValues | undefined> {
  const json = await sealed.open(text);
  if (json === undefined) return undefined;
  const read = JSON.parse(json) as typeof place & KeptValues;
  return read.act === place.act && read.recordId === place.recordId ? keptValuesSchema.parse(read) : undefined;
}
