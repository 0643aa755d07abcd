import { type CompiledCollection, isValueField } from '../model/compiled-model.ts';
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
 * What the database would refuse of an import, as far as the caller may know it: keys that are taken, and foreign keys that lead nowhere.
 * Triggers, unique columns and other rules of the database are not known.
 */
export async function foreseeImport(
  reader: RecordReader,
  collection: CompiledCollection,
  lines: readonly CheckedLine[],
  context: CallContext,
): Promise<readonly RefusedRecord[]> {
  const nowhere = await linesToNowhere(reader, collection, lines, context);
  const lost = new Set(nowhere.map(({ line }) => line));
  const others = lines.filter(({ line }) => !lost.has(line));
  return [...nowhere, ...(await linesWithTakenKey(reader, collection, others, context))];
}

async function linesWithTakenKey(
  reader: RecordReader,
  collection: CompiledCollection,
  lines: readonly CheckedLine[],
  context: CallContext,
): Promise<readonly RefusedRecord[]> {
  const { primaryKey, native } = collection;
  if (primaryKey.length === 0 || native.hasLooseKey || native.hasChildTables) return [];
  const keyed = lines.flatMap(({ line, attributes }) => {
    const key = keyOf(primaryKey, attributes);
    return key.includes(null) ? [] : [{ line, key, identity: identityOf(key) }];
  });
  const taken = await takenKeys(
    reader,
    collection,
    keyed.map(({ key }) => key),
    context,
  );
  const firstLines = new Map<string, number>();
  const field = publishedName(reader, collection, primaryKey[0] ?? '');
  return keyed.flatMap(({ line, identity }) => {
    if (taken.has(identity)) return [{ line, error: invalidAttribute(field, 'is the key of a record that is there') }];
    const first = firstLines.get(identity);
    if (first !== undefined) return [{ line, error: invalidAttribute(field, `is the key of line ${first} too`) }];
    firstLines.set(identity, line);
    return [];
  });
}

/** The keys that records have which the caller may list. */
async function takenKeys(
  reader: RecordReader,
  collection: CompiledCollection,
  keys: readonly (readonly unknown[])[],
  context: CallContext,
): Promise<ReadonlySet<string>> {
  const { primaryKey } = collection;
  const isTooMuch = keys.length > keysPerCondition(primaryKey.length);
  const published = reader.model.collections.get(collection.name);
  if (keys.length === 0 || isTooMuch || !published || !(await mayList(reader, published, context))) return new Set();
  const where = intersect([conditionOfKeys(primaryKey, keys), await scopeOf(reader, published, context)]);
  const records = await reader.engine.list(collection, { projection: primaryKey, where }, context);
  return new Set(records.map((record) => identityOf(keyOf(primaryKey, record))));
}

async function linesToNowhere(
  reader: RecordReader,
  collection: CompiledCollection,
  lines: readonly CheckedLine[],
  context: CallContext,
): Promise<readonly RefusedRecord[]> {
  const refused = new Map<number, RefusedRecord>();
  for (const relation of foreignKeysOf(reader, collection)) {
    const local = relation.join[0]?.local ?? '';
    const given = lines.flatMap(({ attributes }) => attributes[local] ?? []);
    const values = new Map(given.map((value) => [String(value), value]));
    const missing = await missingTargets(reader, relation, values, context);
    const field = publishedName(reader, collection, local);
    for (const { line, attributes } of lines) {
      if (refused.has(line) || !missing.has(String(attributes[local]))) continue;
      const problem = `names a record of "${relation.foreignCollection}" that is not there`;
      refused.set(line, { line, error: invalidAttribute(field, problem) });
    }
  }
  return [...refused.values()];
}

/** Those of one column that the database keeps. One to the same table may lead to a line of the file. */
function foreignKeysOf({ engine }: RecordReader, { name, fields }: CompiledCollection): readonly ToOneRelation[] {
  const { collections } = engine.model;
  return [...fields.values()].flatMap((field) => {
    if (isValueField(field) || field.kind !== 'ManyToOne' || field.foreignCollection === name) return [];
    const parent = collections.get(field.foreignCollection);
    const isKept = parent && keysInto(parent, collections).some((key) => key.child.name === name && key.back === field);
    return isKept && field.join.length === 1 ? [field] : [];
  });
}

/**
 * The values that no record of the other collection has, by their texts. Nothing is said of records that the caller may not list, and of
 * those that are only marked as deleted.
 */
async function missingTargets(
  reader: RecordReader,
  { foreignCollection, join }: ToOneRelation,
  values: ReadonlyMap<string, unknown>,
  context: CallContext,
): Promise<ReadonlySet<string>> {
  const missing = new Set<string>();
  const { engine, model } = reader;
  const published = model.collections.get(foreignCollection);
  const [pair] = join;
  if (values.size === 0 || !pair || !published || !(await mayList(reader, published, context))) return missing;
  if ((await scopeOf(reader, published, context)) !== undefined || published.native.softDelete) return missing;
  const field = pair.foreign;
  const parent = engine.collectionNamed(foreignCollection);
  const call = callOfOthers(context);
  const where = conditionOfKeys(
    [field],
    [...values.values()].map((value) => [value]),
  );
  const found = await engine.list(parent, { projection: [field], where }, call);
  const known = new Set(found.map((record) => String(record[field])));
  const unknown = [...values].filter(([text]) => !known.has(text));
  for (const [text, value] of unknown.slice(0, mostAskedFor)) {
    if ((await engine.count(parent, { field, operator: 'Equal', value }, call)) === 0) missing.add(text);
  }
  return missing;
}

async function mayList(
  { authoriser }: RecordReader,
  { name }: CompiledCollection,
  { caller }: CallContext,
): Promise<boolean> {
  return (await authoriser.rightsOf(caller)).has(name, 'browse');
}

function keyOf(primaryKey: readonly string[], record: RecordData): readonly unknown[] {
  return primaryKey.map((field) => record[field] ?? null);
}

/** A number and its digits are the same. */
function identityOf(key: readonly unknown[]): string {
  return JSON.stringify(key.map(String));
}

function publishedName({ model }: RecordReader, { name }: CompiledCollection, field: string): string {
  return model.names.publishedName(name, field);
}
