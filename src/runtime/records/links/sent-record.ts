import type { CompiledCollection } from '../../model/compiled-model.ts';
import type { ToOneRelation } from '../../query/collection-schema.ts';
import type { RecordData } from '../../query/record-query.ts';
import { setValue } from '../../query/shape-record.ts';
import type { RecordEngine } from '../read/record-engine.ts';

/**
 * A write of a caller, divided by the records that it reaches: those behind imported fields are partners. Original names.
 */
export interface SentRecord {
  readonly collection: CompiledCollection;
  readonly columns: RecordData;
  readonly partners: readonly SentPartner[];
}

export interface SentPartner {
  readonly relation: ToOneRelation;
  readonly sent: SentRecord;
}

/** Fields whose writing is replaced are left out: what becomes of them is up to the customization. */
export function sentRecord(engine: RecordEngine, collection: CompiledCollection, record: RecordData): SentRecord {
  const columns: Record<string, unknown> = {};
  const behind = new Map<string, Record<string, unknown>>();
  for (const [name, value] of Object.entries(record)) {
    if (collection.writeHandlers.has(name)) continue;
    const field = collection.fields.get(name);
    const path = field?.kind === 'imported' ? field.path : name;
    const end = field && field.kind !== 'imported' ? -1 : path.indexOf(':');
    if (end < 0) {
      setValue(columns, name, value);
      continue;
    }
    const nested = behind.get(path.slice(0, end)) ?? {};
    setValue(nested, path.slice(end + 1), value);
    behind.set(path.slice(0, end), nested);
  }
  const partners = [...behind].map(([name, nested]) => {
    // An import leads through to-one relations alone.
    const relation = collection.fields.get(name) as ToOneRelation;
    return { relation, sent: sentRecord(engine, engine.collectionNamed(relation.foreignCollection), nested) };
  });
  return { collection, columns, partners };
}
