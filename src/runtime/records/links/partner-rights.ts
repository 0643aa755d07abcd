import { isCloudError } from '#kernel/errors/cloud-error';
import type { RecordData } from '../../query/record-query.ts';
import { intersect } from '../read/record-filter.ts';
import { type LinkCall, readColumns } from './link-ends.ts';
import { joinColumns, type SentPartner, type SentRecord, scopeOn, targetsOf } from './scoped-write.ts';

type PartnerCall = Pick<LinkCall, 'reader' | 'context'>;

type Right = 'add' | 'edit';

/**
 * Ask for the rights to the records behind imported fields: `edit` on their collection changes one that is there, and `add` makes one that is
 * missing. One that is out of scope counts as missing, so that the answer does not tell of it. A collection that is not published has no
 * rights. What handlers and hooks write is not looked at. Where the caller lacks none of these rights, nothing is read.
 *
 * @param before reads the records as they are; an empty one for a record that is yet to be made.
 * @throws `REQUEST_FORBIDDEN`, naming the collection.
 */
export async function requirePartnerRights(
  call: PartnerCall,
  sent: SentRecord,
  before: (columns: readonly string[]) => Promise<readonly RecordData[]>,
): Promise<void> {
  const lacking = await lackingRights(call, sent);
  if (lacking.size > 0) await requireBehind(call, sent, await before(joinColumns(sent.partners)), lacking);
}

async function requireBehind(
  call: PartnerCall,
  { columns, partners }: SentRecord,
  before: readonly RecordData[],
  lacking: ReadonlyMap<string, unknown>,
): Promise<void> {
  const records = before.map((record) => ({ ...record, ...columns }));
  for (const { relation, sent } of partners) {
    const { collection } = sent;
    const wanted = targetsOf(collection, relation.join, records);
    const isKeyless = records.some((record) => relation.join.some(({ local }) => (record[local] ?? null) === null));
    const scope = wanted && (await scopeOn(call.reader, collection.name, 'edit', call.context));
    const there = wanted
      ? await readColumns(call, collection, intersect([wanted.where, scope]), joinColumns(sent.partners))
      : [];
    const isMade = isKeyless || there.length < (wanted?.count ?? 0);
    const isChanged = there.length > 0 && Object.keys(sent.columns).length > 0;
    if (isMade) refuse(lacking, collection.name, 'add');
    if (isChanged) refuse(lacking, collection.name, 'edit');
    await requireBehind(call, sent, [...there, ...(isMade ? [{}] : [])], lacking);
  }
}

function refuse(lacking: ReadonlyMap<string, unknown>, collection: string, right: Right): void {
  const refusal = lacking.get(`${right} ${collection}`);
  if (refusal !== undefined) throw refusal;
}

/** The refusals of rights that writes behind imported fields may need. */
async function lackingRights({ reader, context }: PartnerCall, sent: SentRecord): Promise<Map<string, unknown>> {
  const { model, authoriser } = reader;
  const lacking = new Map<string, unknown>();
  for (const name of new Set(collectionsBehind(sent.partners))) {
    if (!model.collections.has(name)) continue;
    for (const right of ['add', 'edit'] as const) {
      try {
        await authoriser.require(context.caller, name, right);
      } catch (error) {
        if (!isCloudError(error) || error.code !== 'REQUEST_FORBIDDEN') throw error;
        lacking.set(`${right} ${name}`, error);
      }
    }
  }
  return lacking;
}

function collectionsBehind(partners: readonly SentPartner[]): string[] {
  return partners.flatMap(({ sent }) => [sent.collection.name, ...collectionsBehind(sent.partners)]);
}
