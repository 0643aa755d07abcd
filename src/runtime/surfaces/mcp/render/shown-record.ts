import { type CompiledCollection, columnOf, isValueField, type ModelView } from '../../../model/compiled-model.ts';
import type { RecordData } from '../../../query/record-query.ts';
import { setValue } from '../../../query/shape-record.ts';

/** Characters of a value that a call has named. */
const longestNamed = 16_000;
/** Characters of any other value. */
const longestText = 1_000;
/** Characters of bytes, which say little. */
const longestBinary = 100;

/** The beginning of a long value, in place of the value. */
interface ValuePreview {
  readonly preview: string;
  /** Characters of the whole value; of JSON, as text. */
  readonly length: number;
}

/**
 * A record as answers hold it: long values are previews.
 *
 * @param named Paths of the fields that the call has named; these may be longer.
 */
export function shownRecord(
  model: ModelView,
  collection: CompiledCollection,
  record: RecordData,
  named: ReadonlySet<string>,
  path = '',
): RecordData {
  // V8 copies a record in a tenth of the time in which it builds one value by value.
  const shown: Record<string, unknown> = { ...record };
  for (const [name, value] of Object.entries(record)) {
    const field = collection.fields.get(name);
    const fieldPath = `${path}${name}`;
    if (field && !isValueField(field)) {
      const foreign = model.collections.get(field.foreignCollection);
      if (foreign && typeof value === 'object' && value !== null) {
        setValue(shown, name, shownRecord(model, foreign, value as RecordData, named, `${fieldPath}:`));
      }
      continue;
    }
    const isBinary = field && columnOf(field).type === 'Binary';
    const longest = isBinary ? longestBinary : longestText;
    const asShown = shownValue(value, named.has(fieldPath) ? longestNamed : longest);
    if (asShown !== value) setValue(shown, name, asShown);
  }
  return shown;
}

/** A value that no call has named, as answers hold it. */
export function shownText(value: unknown): unknown {
  return shownValue(value, longestText);
}

function shownValue(value: unknown, longest: number): unknown {
  const isObject = typeof value === 'object' && value !== null;
  if (!isObject && typeof value !== 'string') return value;
  const text = isObject ? JSON.stringify(value) : value;
  if (text.length <= longest) return value;
  return { preview: text.slice(0, longest), length: text.length } satisfies ValuePreview;
}

/** The names of the fields of a collection that hold values. */
export function valueFields({ fields }: CompiledCollection): string[] {
  return [...fields.values()].filter(isValueField).map(({ name }) => name);
}
