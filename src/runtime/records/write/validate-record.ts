import { DateTime } from 'luxon';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { type CompiledCollection, columnOf, type FieldValidation, isValueField } from '../../model/compiled-model.ts';
import { ruleInWords } from '../../query/conditions-in-words.ts';
import { leafPredicate } from '../../query/leaf-predicate.ts';
import type { RecordData } from '../../query/record-query.ts';

/**
 * Check a record by the validations of its collection. A create must give the required fields. Absent values and `null` are
 * not checked further.
 *
 * @param label The name that the sender of the record uses for a field.
 * @throws `REQUEST_INVALID`, naming the field.
 */
export function validateRecord(
  collection: CompiledCollection,
  record: RecordData,
  action: 'create' | 'update',
  timezone: string,
  label: (field: string) => string = (field) => field,
): void {
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
      throw invalid(label(name), validation, column.type === 'Binary' ? 'byte' : 'character');
    }
  }
}

function invalid(field: string, { operator, value }: FieldValidation, unit: 'byte' | 'character'): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    `The field "${field}" ${ruleInWords(operator, value, unit)}.`,
    `Correct "${field}".`,
    { details: { field } },
  );
}
