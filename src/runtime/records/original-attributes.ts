import type { CompiledCollection } from '../model/compiled-model.ts';
import type { RecordData } from '../query/record-query.ts';
import type { RecordReader } from './request/record-reader.ts';

/** Attributes by their original names. */
export function original({ model }: RecordReader, collection: CompiledCollection, attributes: RecordData): RecordData {
  if (model.names.isIdentity) return attributes;
  const entries = Object.entries(attributes);
  return Object.fromEntries(entries.map(([name, value]) => [model.names.originalPath(collection.name, name), value]));
}
