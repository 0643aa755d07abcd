import type { MongoDocument } from '#kernel/ports/mongo-database';
import { type BsonType, isPlainObject } from '#node/mongo/mongo-bson-values';
import { type SampledValue, unseen } from './sampled-values.ts';

/** What the `$jsonSchema` of a collection says of the fields of an object. */
export interface DeclaredObject {
  readonly required: ReadonlySet<string>;
  readonly enums: ReadonlyMap<string, readonly string[]>;
  readonly properties: ReadonlyMap<string, DeclaredObject>;
}

const bsonTypes: ReadonlySet<string> = new Set([
  'bool',
  'int',
  'double',
  'long',
  'decimal',
  'string',
  'date',
  'objectId',
  'binData',
  'array',
  'object',
] satisfies BsonType[]);

export function readJsonSchema(schema: MongoDocument | undefined): DeclaredObject {
  const properties = Object.entries(propertiesOf(schema));
  const required = schema?.['required'];
  return {
    required: new Set(Array.isArray(required) ? required.map(String) : []),
    enums: new Map(properties.flatMap(([name, property]) => enumOf(name, property))),
    properties: new Map(properties.map(([name, property]) => [name, readJsonSchema(property)])),
  };
}

/** Add the fields that the schema declares and no sample has. */
export function withDeclaredFields(sampled: SampledValue, schema: MongoDocument | undefined): void {
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const known = sampled.fields.get(name) ?? unseen();
    sampled.fields.set(name, known);
    const declared = declaredTypes(property);
    if (known.types.size === 0) for (const type of declared) known.types.add(type);
    // The driver reads a `double` that is a whole number as it reads an `int`.
    if (known.types.has('int') && declared.includes('double') && !declared.includes('int')) known.types.add('double');
    withDeclaredFields(known, property);
  }
}

function declaredTypes({ bsonType }: MongoDocument): BsonType[] {
  const names: readonly unknown[] = Array.isArray(bsonType) ? bsonType : [bsonType];
  return names.flatMap((name) => (bsonTypes.has(String(name)) ? [name as BsonType] : []));
}

function propertiesOf(schema: MongoDocument | undefined): Readonly<Record<string, MongoDocument>> {
  const properties = schema?.['properties'];
  return isPlainObject(properties) ? (properties as Record<string, MongoDocument>) : {};
}

/** Null in the list only says that the field may be empty. */
function enumOf(name: string, property: MongoDocument): [string, string[]][] {
  const values = property['enum'];
  if (!Array.isArray(values)) return [];
  const texts = values.filter((value) => value !== null);
  return texts.length > 0 && texts.every((value) => typeof value === 'string') ? [[name, texts]] : [];
}
