import { DateTime } from 'luxon';
import { CloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import type { CompiledCollection } from '../model/compiled-model.ts';
import { unknownField } from '../model/field-path.ts';
import { bytesOfText } from '../query/bytes-of-text.ts';
import { coerceLeafValue } from '../query/coerce-leaf-value.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { columnValueProblem } from '../query/column-value.ts';
import type { ConditionLeaf, ConditionTree } from '../query/condition-tree.ts';
import { leafPredicate, type ValuePredicate } from '../query/leaf-predicate.ts';
import type { RecordData } from '../query/record-query.ts';
import type { CallContext } from './calls/call-context.ts';
import type { RecordReader } from './request/record-reader.ts';
import { readInput, type Unread } from './request/unread-input.ts';
import { invalidAttribute } from './write/write-attributes.ts';

/** Values that a caller has seen, and that records must still have when they are written. */
export interface SeenValues {
  /** Published names. */
  readonly fields: readonly string[];
  /** For the statement that writes. Original names; columns of the database alone. */
  readonly unchanged: readonly ConditionLeaf[];
  /** Throws `RECORD_CHANGED` where one of the records has another value. */
  require(records: readonly RecordData[]): void;
  /** The same for the records of a condition in original names. */
  requireOf(where: ConditionTree | undefined, context: CallContext): Promise<void>;
  /** Throws `RECORD_CHANGED` where records of the condition are there, which a write would have found unchanged. */
  refuseChanged(where: ConditionTree | undefined, context: CallContext): Promise<void>;
}

interface SeenValue {
  readonly field: string;
  readonly isSame: ValuePredicate;
  readonly unchanged: ConditionLeaf;
}

/**
 * Read the values that a caller counts on. Whoever may not read the records is refused, and cannot find out values by guessing.
 *
 * @throws `REQUEST_FORBIDDEN`, `REQUEST_FIELD_UNKNOWN`, `REQUEST_INVALID`, naming the field.
 */
export async function seenValues(
  reader: RecordReader,
  collection: CompiledCollection,
  ifMatch: Unread<RecordData> | undefined,
  { caller }: CallContext,
): Promise<SeenValues | undefined> {
  if (ifMatch === undefined) return undefined;
  await reader.authoriser.requireReadOn(caller, [collection.name]);
  const values = Object.entries(readInput(ifMatch)).map(([field, value]) =>
    seenValue(reader, collection, field, value),
  );
  if (values.length === 0) throw nothingSeen();
  const fields = values.map(({ field }) => field);
  const changedIn = (records: readonly RecordData[]) =>
    values.filter(({ field, isSame }) => !records.every((record) => isSame(record[field]))).map(({ field }) => field);
  const read = (where: ConditionTree | undefined, context: CallContext) =>
    reader.fetch(collection, reader.planRead(collection, [...collection.primaryKey, ...fields]), { where }, context);
  const require = (records: readonly RecordData[]) => {
    const changed = changedIn(records);
    if (changed.length > 0) throw recordChanged(changed);
  };
  return {
    fields,
    unchanged: values.map(({ unchanged }) => unchanged),
    require,
    requireOf: async (where, context) => require(await read(where, context)),
    async refuseChanged(where, context) {
      const records = await read(where, context);
      if (records.length > 0) throw recordChanged(changedIn(records));
    },
  };
}

function seenValue(
  { model, engine }: RecordReader,
  collection: CompiledCollection,
  name: string,
  value: unknown,
): SeenValue {
  const field = collection.fields.get(name);
  if (!field) throw unknownField(collection, name);
  const original = model.names.originalPath(collection.name, name);
  const stored = engine.collectionNamed(collection.name).native.fields.get(original);
  if (field.kind !== 'column' || field.expression || !isComparable(stored)) {
    throw invalidAttribute(name, 'is no column that the database compares, so that nobody can count on its value');
  }
  const problem = columnValueProblem(field, value);
  if (problem !== undefined) throw invalidAttribute(name, `must be ${problem}`);
  const isBytes = field.type === 'Binary' && typeof value === 'string';
  const given = isBytes ? bytesOfText(value) : coerceLeafValue(field, 'Equal', value);
  const unchanged: ConditionLeaf = { field: original, operator: 'Equal', value: given };
  return { field: name, unchanged, isSame: leafPredicate(unchanged, field, DateTime.utc()) };
}

function isComparable(stored: ReturnType<CompiledCollection['native']['fields']['get']>): stored is ColumnSchema {
  return stored?.kind === 'column' && !stored.expression && stored.operators.has('Equal');
}

function nothingSeen(): CloudError {
  return invalidRequest(
    'The values that the record must have name no field.',
    'Name a field and the value that you have seen, or leave them out.',
  );
}

/** @param fields empty where the values are back to what they were. */
function recordChanged(fields: readonly string[]): CloudError {
  const names = fields.map((field) => `"${field}"`).join(', ');
  const what = fields.length > 0 ? ` ${names} ${fields.length > 1 ? 'are' : 'is'} no longer as you have seen it.` : '';
  return new CloudError({
    code: 'RECORD_CHANGED',
    message: `Somebody else has changed the record.${what} Nothing was written.`,
    nextSteps: ['Read the record again. Where the write is still right, make it with the values of now.'],
    details: fields.length > 0 ? { fields } : {},
  });
}
