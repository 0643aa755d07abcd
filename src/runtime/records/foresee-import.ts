import { type CompiledCollection, isValueField, knownName } from '../model/compiled-model.ts';
import { conditionOfKeys, keysPerCondition } from '../model/record-id.ts';
import type { ToOneRelation } from '../query/collection-schema.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, callOfOthers } from './calls/call-context.ts';
import { keysInto } from './foresee-delete.ts';
import { intersect } from './read/record-filter.ts';
import { hasHooks } from './read/run-hooks.ts';
import { type RecordReader, scopeOf } from './request/record-reader.ts';
import type { RefusedRecord } from './request/record-service.ts';
import { invalidAttribute } from './write/write-attributes.ts';

/** Values of a foreign key that are not found are asked for one by one, because only the database knows what is equal to it. */
const mostAskedFor = 200;

/** A record of a file that is right by itself; original names. */
export interface CheckedLine {
  readonly line: number;
  readonly attributes: RecordData;
}

/** Whether what is sent is what the database gets: no code fills fields, changes them, or writes in its place. */
export function isWrittenAsSent(collection: CompiledCollection): boolean {
  const { overrides, writeHandlers } = collection;
  return !overrides.create && writeHandlers.size === 0 && !hasHooks(collection, 'Before', 'Create');
}

/**
 * What the database would refuse of an import, as far as the caller may know it: keys and unique values that are taken, and foreign
 * keys that lead nowhere. Triggers and other rules of the database are not known.
 */
export async function foreseeImport(
  reader: RecordReader,
  collection: CompiledCollection,
  lines: readonly CheckedLine[],
  context: CallContext,
): Promise<readonly RefusedRecord[]> {
  const { primaryKey, native } = collection;
  const refused = new Map<number, RefusedRecord>();
  const note = (found: readonly RefusedRecord[]) => {
    for (const record of found) if (record.line !== undefined) refused.set(record.line, record);
  };
  const others = () => lines.filter(({ line }) => !refused.has(line));
  for (const relation of foreignKeysOf(reader, collection)) {
    note(await linesToNowhere(reader, collection, relation, others(), context));
  }
  const keys = native.hasLooseKey || native.hasChildTables ? [] : [primaryKey, ...(native.uniqueKeys ?? [])];
  for (const key of keys.filter(({ length }) => length > 0)) {
    note(await linesWithTakenKey(reader, collection, key, others(), context));
  }
  return [...refused.values()];
}

async function linesWithTakenKey(
  reader: RecordReader,
  collection: CompiledCollection,
  fields: readonly string[],
  lines: readonly CheckedLine[],
  context: CallContext,
): Promise<readonly RefusedRecord[]> {
  const keyed = lines.flatMap(({ line, attributes }) => {
    const key = keyOf(fields, attributes);
    return key.includes(null) ? [] : [{ line, key, identity: identityOf(key) }];
  });
  const taken = await takenKeys(
    reader,
    collection,
    fields,
    keyed.map(({ key }) => key),
    context,
  );
  const firstLines = new Map<string, number>();
  const field = publishedName(reader, collection, fields[0] ?? '');
  const what = fields === collection.primaryKey ? 'the key' : 'the unique value';
  return keyed.flatMap(({ line, identity }) => {
    if (taken.has(identity)) return [{ line, error: invalidAttribute(field, `is ${what} of a record that is there`) }];
    const first = firstLines.get(identity);
    if (first !== undefined) return [{ line, error: invalidAttribute(field, `is ${what} of line ${first} too`) }];
    firstLines.set(identity, line);
    return [];
  });
}

/** Those of the keys that records have which the caller may list. */
async function takenKeys(
  reader: RecordReader,
  collection: CompiledCollection,
  fields: readonly string[],
  keys: readonly (readonly unknown[])[],
  context: CallContext,
): Promise<ReadonlySet<string>> {
  const isTooMuch = keys.length > keysPerCondition(fields.length);
  const published = reader.model.collections.get(collection.name);
  if (keys.length === 0 || isTooMuch || !published || !(await mayList(reader, published, context))) return new Set();
  if (!mayAskBy(reader, published, fields)) return new Set();
  const where = intersect([conditionOfKeys(fields, keys), await scopeOf(reader, published, 'browse', context)]);
  const records = await reader.engine.list(collection, { projection: fields, where }, context);
  return new Set(records.map((record) => identityOf(keyOf(fields, record))));
}

async function linesToNowhere(
  reader: RecordReader,
  collection: CompiledCollection,
  { join, foreignCollection }: ToOneRelation,
  lines: readonly CheckedLine[],
  context: CallContext,
): Promise<readonly RefusedRecord[]> {
  const here = join.map(({ local }) => local);
  const there = join.map(({ foreign }) => foreign);
  const field = publishedName(reader, collection, here[0] ?? '');
  const pointing = lines.flatMap(({ line, attributes }) => {
    const key = keyOf(here, attributes);
    return key.includes(null) ? [] : [{ line, key, identity: identityOf(key) }];
  });
  const keys = new Map(pointing.map(({ identity, key }) => [identity, key]));
  const missing = await missingTargets(reader, foreignCollection, there, keys, context);
  // A key to the same table may lead to a line before, or to the line itself.
  const made = new Map<string, number>();
  if (foreignCollection === collection.name) {
    for (const { line, attributes } of lines.toReversed()) made.set(identityOf(keyOf(there, attributes)), line);
  }
  return pointing.flatMap(({ line, identity }) => {
    if (!missing.has(identity) || (made.get(identity) ?? Number.POSITIVE_INFINITY) <= line) return [];
    const problem = `names a record of "${foreignCollection}" that is not there`;
    return [{ line, error: invalidAttribute(field, problem) }];
  });
}

/** Those that the database keeps. */
export function foreignKeysOf(
  { engine }: RecordReader,
  { name, fields }: CompiledCollection,
): readonly ToOneRelation[] {
  const { collections } = engine.model;
  return [...fields.values()].flatMap((field) => {
    if (isValueField(field) || field.kind !== 'ManyToOne') return [];
    const parent = collections.get(field.foreignCollection);
    const isKept = parent && keysInto(parent, collections).some((key) => key.child.name === name && key.back === field);
    return isKept ? [field] : [];
  });
}

/**
 * The keys that no record of the other collection has. Nothing is said of records that the caller may not list, and of those that are
 * only marked as deleted.
 */
export async function missingTargets(
  reader: RecordReader,
  foreignCollection: string,
  fields: readonly string[],
  keys: ReadonlyMap<string, readonly unknown[]>,
  context: CallContext,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  const { engine, model } = reader;
  const published = model.collections.get(foreignCollection);
  const isTooMuch = keys.size > keysPerCondition(fields.length);
  if (keys.size === 0 || isTooMuch || !published || !(await mayList(reader, published, context))) return missing;
  if ((await scopeOf(reader, published, 'browse', context)) !== undefined || published.native.softDelete)
    return missing;
  if (!mayAskBy(reader, published, fields)) return missing;
  const parent = engine.collectionNamed(foreignCollection);
  const call = callOfOthers(context);
  const where = conditionOfKeys(fields, [...keys.values()]);
  const found = await engine.list(parent, { projection: fields, where }, call);
  const known = new Set(found.map((record) => identityOf(keyOf(fields, record))));
  const unknown = [...keys].filter(([identity]) => !known.has(identity));
  for (const [identity, key] of unknown.slice(0, mostAskedFor)) {
    const one = conditionOfKeys(fields, [key]);
    if ((await engine.count(parent, one, call)) === 0) missing.add(identity);
  }
  return missing;
}

/** Whether the caller may look for records by the fields. What a check says of other fields would tell what they hold. */
function mayAskBy({ model }: RecordReader, { name, limits }: CompiledCollection, fields: readonly string[]): boolean {
  return fields.every((field) => {
    const known = knownName(model, name, field);
    return known !== undefined && limits.get(known)?.isFilterable !== false;
  });
}

export async function mayList(
  { authoriser }: RecordReader,
  { name }: CompiledCollection,
  { caller }: CallContext,
): Promise<boolean> {
  return (await authoriser.rightsOf(caller)).has(name, 'browse');
}

function keyOf(fields: readonly string[], record: RecordData): readonly unknown[] {
  return fields.map((field) => record[field] ?? null);
}

/** A number and its digits are the same. */
export function identityOf(key: readonly unknown[]): string {
  return JSON.stringify(key.map(String));
}

function publishedName({ model }: RecordReader, { name }: CompiledCollection, field: string): string {
  return model.names.publishedName(name, field);
}
