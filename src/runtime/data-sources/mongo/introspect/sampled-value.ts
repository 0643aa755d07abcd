import type { MongoDocument } from '#kernel/ports/mongo-database';
import { type BsonType, bsonTypeOf, isPlainObject } from '#node/mongo/bson-values';

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
