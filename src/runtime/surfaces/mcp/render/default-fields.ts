import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { valueFields } from './value-fields.ts';

const maxFields = 20;

/** Names of columns by which people tell records apart. */
const telling = /(?:^|[_\s])(?:name|title|label|reference|ref|code|email)$|(?:Name|Title|Label|Reference|Email)$/i;

/** The fields of a list that names none. */
export interface DefaultFields {
  readonly shown: readonly string[];
  readonly leftOut: readonly string[];
}

/** The columns of a collection; of many, the key, those that tell records apart, and the first others. */
export function defaultFields(collection: CompiledCollection): DefaultFields {
  const columns = valueFields(collection);
  if (columns.length <= maxFields) return { shown: columns, leftOut: [] };
  const first = new Set([
    ...collection.primaryKey.filter((name) => columns.includes(name)),
    ...columns.filter((name) => telling.test(name)),
    ...columns,
  ]);
  const chosen = new Set([...first].slice(0, maxFields));
  return {
    shown: columns.filter((name) => chosen.has(name)),
    leftOut: columns.filter((name) => !chosen.has(name)),
  };
}
