import { type CompiledCollection, type CompiledModel, isValueField } from '#runtime/model/compiled-model';
import type { JoinPairs, RelationSchema } from '#runtime/query/collection-schema';
import type { RecordData } from '#runtime/query/record-query';
import type { RecordService } from '#runtime/records/request/record-service';
import { call } from './shop.ts';

type Related = (record: RecordData) => readonly RecordData[];
type Linked = Record<string, unknown>;

/**
 * Everything that can be read, by collection and in the order of its key: each collection is read by itself, without paths,
 * and its records are linked here, to one record or to a list, as far as relations lead.
 */
export async function linkedRecords(
  { collections }: CompiledModel,
  service: RecordService,
): Promise<ReadonlyMap<string, readonly RecordData[]>> {
  const records = new Map<string, Linked[]>();
  for (const { name, fields, primaryKey } of collections.values()) {
    const projection = [...fields.values()].filter(isValueField).map((field) => field.name);
    const sort = primaryKey.map((field) => ({ field, ascending: true }));
    const read = await service.list({ collection: name, projection, sort }, call);
    records.set(
      name,
      read.map((record) => ({ ...record })),
    );
  }
  for (const collection of collections.values()) {
    for (const relation of relationsOf(collection)) {
      const relatedTo = relatedBy(relation, (name) => records.get(name) ?? []);
      const isToMany = relation.kind === 'OneToMany' || relation.kind === 'ManyToMany';
      for (const record of records.get(collection.name) ?? []) {
        const related = relatedTo(record);
        record[relation.name] = isToMany ? related : (related[0] ?? null);
      }
    }
  }
  return records;
}

export function relationsOf({ fields }: CompiledCollection): readonly RelationSchema[] {
  return [...fields.values()].filter((field) => !isValueField(field));
}

function relatedBy(relation: RelationSchema, recordsOf: (collection: string) => readonly RecordData[]): Related {
  const foreign = recordsOf(relation.foreignCollection);
  if (relation.kind !== 'ManyToMany') return matching(foreign, relation.join);
  const linksOf = matching(recordsOf(relation.throughCollection), relation.originJoin);
  const endsOf = matching(foreign, relation.foreignJoin);
  return (record) => linksOf(record).flatMap(endsOf);
}

function matching(foreign: readonly RecordData[], join: JoinPairs): Related {
  return (record) =>
    foreign.filter((other) =>
      join.every((pair) => record[pair.local] !== null && record[pair.local] === other[pair.foreign]),
    );
}
