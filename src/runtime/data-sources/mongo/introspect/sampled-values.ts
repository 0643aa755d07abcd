import type { MongoDocument } from '#kernel/ports/mongo-database';
import { type BsonType, bsonTypeOf, isPlainObject } from '#node/mongo/mongo-bson-values';
import type { ColumnDescription } from '../../tables/table-description.ts';

type ValueType = Pick<ColumnDescription, 'type' | 'nativeType' | 'isExact' | 'scale'>;

const json = (nativeType: string): ValueType => ({ type: 'Json', nativeType, isExact: false });

const singleTypes: Partial<Record<BsonType, ValueType>> = {
  bool: { type: 'Boolean', nativeType: 'bool', isExact: false },
  int: { type: 'Number', nativeType: 'int', isExact: false },
  double: { type: 'Number', nativeType: 'double', isExact: false },
  long: { type: 'Number', nativeType: 'long', isExact: true, scale: 0 },
  decimal: { type: 'Number', nativeType: 'decimal', isExact: true },
  string: { type: 'String', nativeType: 'string', isExact: false },
  date: { type: 'Date', nativeType: 'date', isExact: false },
  objectId: { type: 'String', nativeType: 'objectId', isExact: false },
  uuid: { type: 'Uuid', nativeType: 'uuid', isExact: false },
  binData: { type: 'Binary', nativeType: 'binData', isExact: false },
};

const numbers: ReadonlySet<BsonType> = new Set(['int', 'double', 'long', 'decimal']);

/** The type of a column for the values seen. What has several types, or none, is a document. */
export function valueTypeOf({ types, items }: Pick<SampledValue, 'types' | 'items'>): ValueType {
  const [first, ...others] = [...types].sort();
  if (first === undefined) return json('null');
  if (others.length > 0) return [...types].every((type) => numbers.has(type)) ? numberTypeOf(types) : json('mixed');
  if (first !== 'array') return singleTypes[first] ?? json(first);
  const item = items ? valueTypeOf(items) : json('null');
  const isSingle = typeof item.type === 'string' && item.type !== 'Json';
  return isSingle
    ? { type: [item.type], nativeType: `array of ${item.nativeType}`, isExact: item.isExact }
    : json('array');
}

/** A `long` keeps whole numbers of every size, a `double` fractions; only a `decimal` both. */
function numberTypeOf(types: ReadonlySet<BsonType>): ValueType {
  const widest: BsonType =
    types.has('decimal') || (types.has('long') && types.has('double'))
      ? 'decimal'
      : types.has('long')
        ? 'long'
        : 'double';
  return singleTypes[widest] ?? json('mixed');
}

/** What samples show of the values at one place of the documents. */
export interface SampledValue {
  /** How many places there were for it: documents, objects or elements. */
  places: number;
  /** How many of them had a value that is not null. */
  present: number;
  /** The types seen, null left out. */
  readonly types: Set<BsonType>;
  /** The fields of objects. */
  readonly fields: Map<string, SampledValue>;
  /** The elements of arrays. */
  items: SampledValue | undefined;
  /** Some of the values that may be references, each once by its text. */
  readonly examples: Map<string, unknown>;
}

const possibleReferences: ReadonlySet<BsonType> = new Set(['objectId', 'uuid', 'string', 'int', 'long']);
const longestReference = 36;

/**
 * Put samples together.
 *
 * @param examples how many values to keep at each place.
 */
export function sampledDocuments(documents: readonly MongoDocument[], examples: number): SampledValue {
  const root = unseen();
  for (const document of documents) look(root, document, examples);
  return root;
}

export function unseen(): SampledValue {
  return { places: 0, present: 0, types: new Set(), fields: new Map(), items: undefined, examples: new Map() };
}

function look(sampled: SampledValue, value: unknown, examples: number): void {
  sampled.places += 1;
  const type = bsonTypeOf(value);
  if (type === 'null') return;
  sampled.present += 1;
  sampled.types.add(type);
  if (Array.isArray(value)) {
    sampled.items ??= unseen();
    for (const item of value) look(sampled.items, item, examples);
  } else if (isPlainObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const known = sampled.fields.get(name) ?? unseen();
      sampled.fields.set(name, known);
      look(known, inner, examples);
    }
  } else if (possibleReferences.has(type) && sampled.examples.size < examples) {
    const text = String(value);
    if (text !== '' && text.length <= longestReference) sampled.examples.set(text, value);
  }
}

/** Whether a place is sometimes without a value: the field is missing, or null. */
export function isSometimesEmpty(holder: SampledValue, { present }: SampledValue): boolean {
  return present < holder.present;
}
