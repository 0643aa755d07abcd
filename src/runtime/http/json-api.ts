import type { CompiledCollection, CompiledModel } from '../plan/compiled-model.ts';
import type { RecordData } from '../query/record-query.ts';
import { packId } from './packed-id.ts';

interface Identifier {
  readonly type: string;
  readonly id: string;
}

interface Resource extends Identifier {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
}

/** A JSON:API document of one record, or of none. */
export interface RecordDocument {
  readonly jsonapi: { readonly version: '1.0' };
  readonly data: Resource | null;
  readonly included?: readonly Resource[];
}

export interface RecordListDocument {
  readonly jsonapi: { readonly version: '1.0' };
  readonly data: readonly Resource[];
  readonly included?: readonly Resource[];
  readonly meta?: unknown;
}

interface Serialization {
  readonly model: CompiledModel;
  /** What every link begins with. */
  readonly prefix: string;
  /** By type and id; a record referred to twice is included once. */
  readonly included: Map<string, Resource>;
}

const jsonapi = { version: '1.0' } as const;

export function recordDocument(
  model: CompiledModel,
  collection: CompiledCollection,
  record: RecordData | null,
  prefix: string,
): RecordDocument {
  const serialization = { model, prefix, included: new Map() };
  const data = record && resourceOf(collection, record, serialization);
  return { jsonapi, data, ...includedOf(serialization) };
}

export function recordListDocument(
  model: CompiledModel,
  collection: CompiledCollection,
  records: readonly RecordData[],
  prefix: string,
): RecordListDocument {
  const serialization = { model, prefix, included: new Map() };
  const data = records.map((record) => resourceOf(collection, record, serialization));
  return { jsonapi, data, ...includedOf(serialization) };
}

function includedOf({ included }: Serialization): { included?: readonly Resource[] } {
  return included.size > 0 ? { included: [...included.values()] } : {};
}

function resourceOf(collection: CompiledCollection, record: RecordData, serialization: Serialization): Resource {
  const id = packId(collection, record);
  const attributes: Record<string, unknown> = {};
  const relationships: Record<string, unknown> = {};
  let hasRelationships = false;
  for (const name of Object.keys(record)) {
    const field = collection.fields.get(name);
    if (field?.kind === 'ManyToOne' || field?.kind === 'OneToOne') {
      define(relationships, name, { data: includeLinked(field.foreignCollection, record[name], serialization) });
      hasRelationships = true;
    } else if (record[name] !== undefined) {
      define(attributes, name, record[name]);
    }
  }
  for (const name of toManyRelations(collection)) {
    const href = `${serialization.prefix}/${collection.name}/${encodeURIComponent(id)}/relationships/${name}`;
    define(relationships, name, { links: { related: { href } } });
    hasRelationships = true;
  }
  return { type: collection.name, id, attributes, ...(hasRelationships ? { relationships } : {}) };
}

/** Puts the record at the other end of a to-one relation in `included`; what it refers to itself comes before it. */
function includeLinked(foreign: string, value: unknown, serialization: Serialization): Identifier | null {
  const collection = serialization.model.collections.get(foreign);
  if (!isRecord(value) || !collection) return null;
  const resource = resourceOf(collection, value, serialization);
  const key = JSON.stringify([resource.type, resource.id]);
  if (!serialization.included.has(key)) serialization.included.set(key, resource);
  return { type: resource.type, id: resource.id };
}

const toManyNames = new WeakMap<CompiledCollection, readonly string[]>();

function toManyRelations(collection: CompiledCollection): readonly string[] {
  const known = toManyNames.get(collection);
  if (known) return known;
  const names = [...collection.fields.values()]
    .filter((field) => field.kind === 'OneToMany' || field.kind === 'ManyToMany')
    .map((field) => field.name);
  toManyNames.set(collection, names);
  return names;
}

/** Sets a key as data: a column called `__proto__` must not change what the object is. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true });
  else target[key] = value;
}

function isRecord(value: unknown): value is RecordData {
  return typeof value === 'object' && value !== null;
}
