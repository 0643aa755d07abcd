import type { MongoDocument } from '#kernel/ports/mongo-database';
import { isPlainObject } from '#node/mongo/mongo-bson-values';
import { DocumentChange } from '../../query/document-change.ts';
import type { RecordData } from '../../query/record-query.ts';
import { columnNamed, type MongoCollection, pathOfColumn, storedColumns } from './document-source.ts';
import { encodeValue, newKey } from './document-values.ts';

/** The document of a created record; a key is made where the record has none. */
export function newDocument(collection: MongoCollection, record: RecordData): MongoDocument {
  const document: Record<string, unknown> = {};
  for (const [column, path] of storedColumns(collection)) {
    const given = record[column.name];
    const value = given === undefined && path === '_id' ? newKey(column) : encodeValue(column, given);
    // What a record does not give is left out: a rule for its type would refuse null.
    if (value !== undefined && (given !== undefined || path === '_id')) setAt(document, path.split('.'), value);
  }
  return document;
}

/** The values that a patch sets, by their places in the document. */
export function changedValues(collection: MongoCollection, patch: RecordData): ReadonlyMap<string, unknown> {
  const changes = new Map<string, unknown>();
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const path = pathOfColumn(collection, name);
    if (value instanceof DocumentChange) {
      for (const part of value.values) changes.set([path, ...part.path].join('.'), part.value);
    } else {
      changes.set(path, encodeValue(columnNamed(collection, name), value));
    }
  }
  return changes;
}

/** The change of a document: an aggregation, as that makes the objects on the way to a value where a document has none. */
export function settingStages(changes: ReadonlyMap<string, unknown>): readonly MongoDocument[] {
  return [{ $set: Object.fromEntries([...changes].map(([path, value]) => [path, { $literal: value }])) }];
}

function setAt(holder: Record<string, unknown>, [step = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    holder[step] = value;
    return;
  }
  const known = holder[step];
  const inner = isPlainObject(known) ? known : {};
  holder[step] = inner;
  setAt(inner, rest, value);
}
