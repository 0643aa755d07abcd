import { DateTime } from 'luxon';
import { type CloudError, cloudError, togetherInOne } from '#kernel/errors/cloud-error';
import {
  type CompiledCollection,
  columnOf,
  type FieldValidation,
  isValueField,
  isWrittenBy,
} from '../../model/compiled-model.ts';
import { unknownField } from '../../model/field-path.ts';
import { isMaskedText } from '../../model/masks.ts';
import { bytesOfText } from '../../query/bytes-of-text.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { columnValueProblem } from '../../query/column-value.ts';
import { ruleInWords } from '../../query/conditions-in-words.ts';
import { leafPredicate } from '../../query/leaf-predicate.ts';
import type { RecordData } from '../../query/record-query.ts';
import { setValue } from '../../query/shape-record.ts';
import { overwrittenNumber } from '../../query/stored-document.ts';
import { comparableOf, identityOf, millisecondOf } from '../../query/value-order.ts';

/** One answer names at most this many errors of a record. */
const maxErrors = 100;

/**
 * Check the attributes of a write against the columns they name and bring them to the form a data source takes. Where some are
 * wrong, the others are checked by the validations of the collection, so that one answer says everything.
 *
 * @param current the record before an update. A field given with the value it has is left out if it is read-only, which would
 * be refused, or imported. Nothing behind it is meant, least of all behind another key that is written beside it.
 * @throws `REQUEST_FIELD_UNKNOWN`, `REQUEST_INVALID`, naming the field.
 */
export function writableAttributes(
  collection: CompiledCollection,
  attributes: RecordData,
  current: RecordData | undefined,
  timezone: string,
): RecordData {
  const accepted: Record<string, unknown> = {};
  const errors: CloudError[] = [];
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || errors.length === maxErrors) continue;
    const taken = takeAttribute(collection, name, value, current);
    if (taken === 'left out') continue;
    if ('error' in taken) errors.push(taken.error);
    else setValue(accepted, name, taken.value);
  }
  const [first, ...others] = errors;
  // Fields that are not given may be filled by hooks.
  if (first) throw togetherInOne([first, ...others, ...brokenRules(collection, accepted, 'update', timezone)]);
  return accepted;
}

type TakenAttribute = { readonly value: unknown } | { readonly error: CloudError } | 'left out';

function takeAttribute(
  collection: CompiledCollection,
  name: string,
  value: unknown,
  current: RecordData | undefined,
): TakenAttribute {
  const field = collection.fields.get(name);
  if (!field) return { error: unknownField(collection, name) };
  if (!isValueField(field)) return { error: invalidAttribute(name, 'is a relation; set its key instead') };
  const column = columnOf(field);
  const isMasked = collection.limits.get(name)?.mask !== undefined;
  if (isMasked && isMaskedText(value, current?.[name])) {
    return { error: invalidAttribute(name, 'is shown to you masked, and a mask is not a value of it') };
  }
  const isReadOnly = !isWrittenBy(collection, column, current ? 'edit' : 'add');
  const isLeftOut = (isReadOnly || field.kind === 'imported') && current !== undefined;
  if (isLeftOut && isSameValue(column, current[name], value)) return 'left out';
  if (isReadOnly) return { error: invalidAttribute(name, 'is read-only') };
  const problem = columnValueProblem(column, value);
  if (problem !== undefined) return { error: invalidAttribute(name, `must be ${problem}`) };
  const lost = current && overwrittenNumber(current[name], value);
  if (lost !== undefined) return { error: digitsLost(name, lost) };
  // The document that is there keeps the text that the database has of it.
  const isKept = column.type === 'Json' && current && JSON.stringify(current[name]) === JSON.stringify(value);
  if (isKept) return { value: current[name] };
  return { value: column.type === 'Binary' && typeof value === 'string' ? bytesOfText(value) : value };
}

function digitsLost(name: string, digits: string): CloudError {
  const shown = JSON.stringify(Number(digits));
  return invalidAttribute(name, `holds the number ${digits}, which JSON shows as ${shown}: the write would change it`);
}

/** Those of the attributes that change a record. */
export function changedAttributes(
  { fields }: CompiledCollection,
  attributes: RecordData,
  current: RecordData,
): RecordData {
  const isChanged = ([name, value]: readonly [string, unknown]) => {
    const field = fields.get(name);
    return !field || !isValueField(field) || !isSameValue(columnOf(field), current[name], value);
  };
  return Object.fromEntries(Object.entries(attributes).filter(isChanged));
}

/** Whether a value that was sent is the one that is there, in whichever of the accepted forms. Documents and lists count as wholes. */
function isSameValue(column: ColumnSchema, current: unknown, given: unknown): boolean {
  const isEmpty = (value: unknown) => value === null || value === undefined;
  if (isEmpty(current) || isEmpty(given)) return isEmpty(current) && isEmpty(given);
  // What the database shows may be in no form that is accepted, such as a date that cannot be.
  if (current === given) return true;
  if (columnValueProblem(column, given) !== undefined) return false;
  if (column.type === 'Date') return millisecondOf(current) === millisecondOf(given);
  // The comparable form leaves out the zone that a time of PostgreSQL may have.
  if (column.type === 'Time') return String(current) === String(given);
  const comparable = comparableOf(column.type);
  return identityOf(comparable(current)) === identityOf(comparable(given));
}

export function invalidAttribute(field: string, problem: string): CloudError {
  return cloudError('REQUEST_INVALID', `The field "${field}" ${problem}.`, `Correct or leave out "${field}".`, {
    details: { field },
  });
}

/** The name that the sender of a record uses for a field; `undefined` for one that the sender may not know of. */
export type FieldLabel = (field: string) => string | undefined;

/**
 * Check a record by the validations of its collection. A create must give the required fields. Absent values and `null` are
 * not checked further.
 *
 * @throws `REQUEST_INVALID`, naming the field; all errors in one.
 */
export function validateRecord(
  collection: CompiledCollection,
  record: RecordData,
  action: 'create' | 'update',
  timezone: string,
  label: FieldLabel = (field) => field,
): void {
  const [first, ...others] = brokenRules(collection, record, action, timezone, label);
  if (first) throw togetherInOne([first, ...others]);
}

/** One error for each field that breaks a rule: the first of its rules. */
function brokenRules(
  collection: CompiledCollection,
  record: RecordData,
  action: 'create' | 'update',
  timezone: string,
  label: FieldLabel = (field) => field,
): CloudError[] {
  const errors: CloudError[] = [];
  for (const [name, validations] of collection.validations) {
    const field = collection.fields.get(name);
    if (!field || !isValueField(field)) continue;
    const column = columnOf(field);
    // A field may be called like what every object has.
    const given = Object.hasOwn(record, name) ? record[name] : undefined;
    if (given === undefined && action === 'update') continue;
    const value = given ?? null;
    for (const validation of validations) {
      if (value === null && validation.operator !== 'Present') continue;
      const leaf = { field: name, operator: validation.operator, value: validation.value };
      if (leafPredicate(leaf, column, DateTime.now().setZone(timezone))(value)) continue;
      const known = label(name);
      const unit = column.type === 'Binary' ? 'byte' : 'character';
      errors.push(known === undefined ? invalidUnseen() : invalid(known, validation, unit));
      break;
    }
  }
  return errors;
}

/** A rule of a field that its sender may not know of. */
function invalidUnseen(): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    'A field that your rights do not show has no valid value.',
    'Ask an administrator of the project for the right to write it.',
  );
}

function invalid(field: string, { operator, value }: FieldValidation, unit: 'byte' | 'character'): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    `The field "${field}" ${ruleInWords(operator, value, unit)}.`,
    `Correct "${field}".`,
    { details: { field } },
  );
}
