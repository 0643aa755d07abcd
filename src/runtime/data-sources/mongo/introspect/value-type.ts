import type { BsonType } from '#node/mongo/bson-values';
import type { ColumnDescription } from '../../tables/table-description.ts';
import type { SampledValue } from './sampled-value.ts';

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
