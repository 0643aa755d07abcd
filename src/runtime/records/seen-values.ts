import { DateTime } from 'luxon';
import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { canonicalJson } from '#kernel/json/canonical-json';
import { binaryEncoderOf } from '../model/binary-text.ts';
import { type CompiledCollection, collectionNamed } from '../model/compiled-model.ts';
import { unknownField } from '../model/field-path.ts';
import { idCondition, keyValues, packedKey, soleRecord, unpackId } from '../model/record-id.ts';
import { bytesOfText } from '../query/bytes-of-text.ts';
import { coerceLeafValue } from '../query/coerce-leaf-value.ts';
import type { ColumnSchema, JoinPairs, ToOneRelation } from '../query/collection-schema.ts';
import { columnValueProblem } from '../query/column-value.ts';
import type { ConditionLeaf, ConditionTree } from '../query/condition-tree.ts';
import { leafPredicate } from '../query/leaf-predicate.ts';
import { type CallContext, callOfOthers, readInput, type Unread } from './calls/call-context.ts';
import type { NeededRights } from './read/record-filter.ts';
import type { RecordReader } from './request/record-reader.ts';
import { comparesStored, type StoredRecord, storedConditions, storedRecords } from './write/stored-records.ts';
import { invalidAttribute } from './write/write-attributes.ts';

/** Values that a caller has seen, and that records must still have when they are written. */
export interface SeenValues {
  /**
   * The conditions for the statement that writes the records of `where`; original names.
   *
   * @throws `RECORD_CHANGED` where one of the records has another value, `REQUEST_INVALID` for a value that no record can have.
   */
  require(where: ConditionTree | undefined, context: CallContext): Promise<readonly ConditionTree[]>;
  /** Throws `RECORD_CHANGED` where records of the condition are there, which a write would have found unchanged. */
  refuseChanged(where: ConditionTree | undefined, context: CallContext): Promise<void>;
}

interface SeenValue {
  /** Published: a column, or a relation whose key the column is a part of. */
  readonly field: string;
  readonly column: ColumnSchema;
  /** The column of the database. */
  readonly original: string;
  readonly given: unknown;
  /** How bytes are shown. */
  readonly encode: ((value: unknown) => unknown) | undefined;
  readonly relation?: SeenRelation;
}

/** A relation whose key is in the record, and the id that the caller has seen there. */
interface SeenRelation {
  readonly id: unknown;
  /** The id of a record: `undefined` where its columns do not tell it. */
  idOf(record: RecordValues): string | null | undefined;
  /** There is no record of that id any more, so that the relation leads elsewhere. */
  readonly isGone: boolean;
}

/**
 * Read the values that a caller counts on. Whoever may not read the records is refused, and cannot find out values by guessing.
 *
 * What the records hold is compared with them here, as clients see it. The statement that writes compares what is stored with what
 * was stored then: a value that has passed through JSON may have lost digits.
 *
 * @throws `REQUEST_FORBIDDEN`, `REQUEST_FIELD_UNKNOWN`, `REQUEST_INVALID`, naming the field.
 */
export async function seenValues(
  reader: RecordReader,
  collection: CompiledCollection,
  ifMatch: Unread<RecordValues> | undefined,
  call: CallContext,
): Promise<SeenValues | undefined> {
  if (ifMatch === undefined) return undefined;
  await reader.authoriser.requireReadOn(call.caller, [collection.name]);
  const stored = reader.engine.collectionNamed(collection.name);
  const each = Object.entries(readInput(ifMatch)).map(([name, given]) => {
    const field = collection.fields.get(name);
    if (field?.kind === 'ManyToOne') return seenRelation(reader, collection, field, given, call);
    return [seenValue(reader, collection, stored, name, given)];
  });
  const values = (await Promise.all(each)).flat();
  if (values.length === 0) throw nothingSeen();
  const columns = values.map(({ original }) => original);
  const read = (where: ConditionTree | undefined, context: CallContext) =>
    storedRecords(reader.engine, stored, columns, where, context);
  let seen: readonly StoredRecord[] = [];
  return {
    async require(where, context) {
      const records = await read(where, context);
      seen = records;
      const changed = changedIn(values, records);
      if (changed.length > 0) throw recordChanged(seenAndNow(changed, records));
      return unchangedConditions(values, records);
    },
    async refuseChanged(where, context) {
      const records = await read(where, context);
      if (records.length === 0) return;
      const changed = new Set([...changedIn(values, records), ...storedOtherwise(values, seen, records)]);
      throw recordChanged(seenAndNow([...changed], records));
    },
  };
}

/** The rights that a write of records needs: whoever counts on values of a record may read it. */
export function neededFor(write: 'edit' | 'delete', seen: SeenValues | undefined): NeededRights {
  return seen ? [write, 'read'] : write;
}

type RecordValues = StoredRecord['record'];

function seenValue(
  { model }: RecordReader,
  collection: CompiledCollection,
  stored: CompiledCollection,
  name: string,
  given: unknown,
): SeenValue {
  const field = collection.fields.get(name);
  if (!field) throw unknownField(collection, name);
  if (collection.limits.get(name)?.mask) {
    throw invalidAttribute(name, 'is shown to you masked, so that you cannot count on its value');
  }
  const original = model.names.originalPath(collection.name, name);
  const native = stored.native.fields.get(original);
  const isColumn = native?.kind === 'column' && !native.expression;
  if (field.kind !== 'column' || field.expression || !isColumn || !isComparable(stored, native)) {
    throw invalidAttribute(name, 'is not a column that the database compares, so that nobody can count on its value');
  }
  return { field: name, column: field, original, given, encode: binaryEncoderOf(collection, field) };
}

/** The columns that lead to the record of an id, with the values that they have for it. */
async function seenRelation(
  reader: RecordReader,
  collection: CompiledCollection,
  { name, join, foreignCollection }: ToOneRelation,
  id: unknown,
  call: CallContext,
): Promise<SeenValue[]> {
  await reader.authoriser.requireReadOn(call.caller, [foreignCollection]);
  const { model, engine } = reader;
  const foreign = collectionNamed(model, foreignCollection);
  const stored = engine.collectionNamed(collection.name);
  const key = id === null ? undefined : keyValues(foreign, seenKey(foreign, name, id));
  const target = key && (await targetOf(reader, foreign, key, join, call));
  const ofKey = foreign.primaryKey.map((column) => join.find((pair) => pair.foreign === column)?.local);
  const locals = ofKey.map((local) => local && model.names.originalPath(collection.name, local));
  const relation: SeenRelation = {
    id,
    isGone: key !== undefined && target === undefined,
    idOf: (record) => {
      if (join.some(({ local }) => (record[model.names.originalPath(collection.name, local)] ?? null) === null))
        return null;
      return locals.every((local) => local !== undefined) ? packedKey(locals.map((local) => record[local])) : undefined;
    },
  };
  return join.map(({ local, foreign: column }) => ({
    ...seenValue(reader, collection, stored, local, target?.[column] ?? null),
    field: name,
    relation,
  }));
}

/** The key that an id stands for. What is wrong with it names the relation. */
function seenKey(foreign: CompiledCollection, relation: string, id: unknown): readonly unknown[] {
  try {
    return unpackId(foreign, id);
  } catch (error) {
    if (!isCloudError(error) || error.code !== 'REQUEST_INVALID') throw error;
    throw invalidAttribute(relation, `cannot be compared. ${error.message.replace(/\.$/, '')}`);
  }
}

/** The columns that a relation leads to, of the record of a key; without a look into the database where they are the key. */
async function targetOf(
  { model, engine }: RecordReader,
  foreign: CompiledCollection,
  key: readonly unknown[],
  join: JoinPairs,
  call: CallContext,
): Promise<RecordValues | undefined> {
  const known = Object.fromEntries(foreign.primaryKey.map((column, index) => [column, key[index]]));
  if (join.every((pair) => Object.hasOwn(known, pair.foreign))) return known;
  const originalOf = (column: string) => model.names.originalPath(foreign.name, column);
  const projection = join.map((pair) => originalOf(pair.foreign));
  const where = model.names.originalTree(foreign.name, idCondition(foreign, key));
  const found = soleRecord(
    foreign,
    await engine.list(engine.collectionNamed(foreign.name), { where, projection }, callOfOthers(call)),
  );
  return found && Object.fromEntries(join.map((pair) => [pair.foreign, found[originalOf(pair.foreign)]]));
}

function isComparable(stored: CompiledCollection, { name, operators }: ColumnSchema): boolean {
  return comparesStored(stored, name) || operators.has('Equal');
}

/** The fields that have another value in one of the records. */
function changedIn(values: readonly SeenValue[], records: readonly StoredRecord[]): SeenValue[] {
  const isSame = (seen: SeenValue, record: RecordValues) => {
    if (seen.relation?.isGone) return false;
    const value = record[seen.original];
    return isShownAs(value, seen.given) || hasValue(seen, value);
  };
  return values.filter((seen) => !records.every(({ record }) => isSame(seen, record)));
}

/** The fields that are stored in a form that no record had before, also where they are shown the same. */
function storedOtherwise(
  values: readonly SeenValue[],
  before: readonly StoredRecord[],
  after: readonly StoredRecord[],
): SeenValue[] {
  return values.filter((_, index) => {
    const formsOf = (records: readonly StoredRecord[]) => records.map(({ forms }) => forms[index]?.text);
    const known = new Set(formsOf(before));
    return formsOf(after).some((form) => !known.has(form));
  });
}

/** What a caller has seen in each of the fields, and what is there now where only one record is meant. */
function seenAndNow(changed: readonly SeenValue[], records: readonly StoredRecord[]): Readonly<Record<string, object>> {
  const [only, another] = records;
  const now = ({ original, encode, relation }: SeenValue, { record }: StoredRecord) => {
    if (relation) return relation.idOf(record);
    const value = record[original] ?? null;
    return encode ? encode(value) : value;
  };
  return Object.fromEntries(
    changed.map((seen) => {
      const { field, given, relation } = seen;
      return [field, { seen: relation ? relation.id : given, ...(only && !another ? { now: now(seen, only) } : {}) }];
    }),
  );
}

/** Whether JSON shows the value so. */
function isShownAs(value: unknown, given: unknown): boolean {
  return canonicalJson(JSON.parse(JSON.stringify(value ?? null))) === canonicalJson(given ?? null);
}

/** @throws `REQUEST_INVALID` where the column cannot have what is given. */
function hasValue(seen: SeenValue, value: unknown): boolean {
  const problem = columnValueProblem(seen.column, seen.given);
  if (problem !== undefined) throw invalidAttribute(seen.field, `must be ${problem}`);
  return leafPredicate(equalLeaf(seen), seen.column, DateTime.utc())(value);
}

function equalLeaf({ column, original, given }: SeenValue): ConditionLeaf {
  const isBytes = column.type === 'Binary' && typeof given === 'string';
  const value = isBytes ? bytesOfText(given) : coerceLeafValue(column, 'Equal', given);
  return { field: original, operator: 'Equal', value };
}

/** Records that look alike may be stored in several ways. */
function unchangedConditions(values: readonly SeenValue[], records: readonly StoredRecord[]): readonly ConditionTree[] {
  const [first] = records;
  if (!first || first.forms.length === 0) return values.map(equalLeaf);
  const ways = new Map(records.map(({ forms }) => [JSON.stringify(forms), forms]));
  const columns = values.map(({ original }) => original);
  const conditions = [...ways.values()].map((forms) => storedConditions(columns, forms));
  const [only, ...others] = conditions;
  if (only && others.length === 0) return only;
  return [{ aggregator: 'Or', conditions: conditions.map((each) => ({ aggregator: 'And', conditions: each })) }];
}

function nothingSeen(): CloudError {
  return invalidRequest(
    'The values that the record must have name no field.',
    'Name a field and the value that you have seen, or leave them out.',
  );
}

/** @param fields by name; empty where the values are back to what they were. */
function recordChanged(fields: Readonly<Record<string, object>>): CloudError {
  const changed = Object.keys(fields);
  const names = changed.map((field) => `"${field}"`).join(', ');
  const what =
    changed.length > 0 ? ` ${names} ${changed.length > 1 ? 'are' : 'is'} no longer as you have seen it.` : '';
  return cloudError(
    'RECORD_CHANGED',
    `Somebody else has changed the record.${what} Nothing was written.`,
    'Read the record again. Where the write is still right, make it with the values of now.',
    { details: changed.length > 0 ? { fields } : {} },
  );
}
