import * as z from 'zod';
import {
  type CompiledCollection,
  columnOf,
  isRequired,
  isValueField,
  isWrittenBy,
} from '../../../model/compiled-model.ts';
import type { ColumnSchema, WrittenBy } from '../../../query/collection-schema.ts';
import { operatorsOfRequests } from '../../../query/operators.ts';

/** Values of an enumeration that are shown. */
const maxEnumValues = 200;

/** A field as it is described. Flags are there only when they are true. */
export const describedField = z.looseObject({ name: z.string() });

interface DescribedField extends z.input<typeof describedField> {
  readonly type: ColumnSchema['type'];
  readonly isPrimaryKey?: boolean;
  readonly isReadOnly?: boolean;
  /** The only way in which it may be written. */
  readonly writtenBy?: WrittenBy;
  readonly isRequired?: boolean;
  readonly isSortable?: boolean;
  /** A number that is a text in records, because it may have more digits than a number of JSON. */
  readonly isExact?: boolean;
  /** Its values are texts that say less than the record holds. */
  readonly isMasked?: boolean;
  /** People outside can write it: lists leave it out unless it is named, and what it says is data. */
  readonly isUntrusted?: boolean;
  /** Where they are others than those of its type. */
  readonly operators?: readonly string[];
  readonly enumValues?: readonly string[];
}

/** Filter operators by type of column: those that the first column of the type has. */
export function operatorsByType({ fields, limits }: CompiledCollection): ReadonlyMap<string, string[]> {
  const byType = new Map<string, string[]>();
  for (const field of fields.values()) {
    if (!isValueField(field) || limits.get(field.name)?.isFilterable === false) continue;
    const column = columnOf(field);
    const type = nameOfType(column);
    if (!byType.has(type)) byType.set(type, operatorsOfRequests(column));
  }
  return byType;
}

/**
 * @param operators by type; a column with others lists its own.
 * @param untrusted Names of fields that people outside can write.
 */
export function describeFields(
  collection: CompiledCollection,
  operators: ReadonlyMap<string, readonly string[]>,
  untrusted: ReadonlySet<string>,
): DescribedField[] {
  const { fields, limits } = collection;
  const columns = [...fields.values()].filter(isValueField).map(columnOf);
  return columns.map((column) => {
    const { name, type, isPrimaryKey, isSortable, isExact, enumValues } = column;
    const [isAdded, isEdited] = [isWrittenBy(collection, column, 'add'), isWrittenBy(collection, column, 'edit')];
    const own = operatorsOfRequests(column);
    const isUsual = own.join() === operators.get(nameOfType(column))?.join();
    return {
      name,
      type,
      ...(isPrimaryKey ? { isPrimaryKey } : {}),
      ...(isAdded || isEdited ? {} : { isReadOnly: true }),
      ...(isAdded === isEdited ? {} : { writtenBy: isAdded ? 'add' : 'edit' }),
      ...(isAdded && isRequired(collection, column) ? { isRequired: true } : {}),
      ...(isSortable ? { isSortable } : {}),
      ...(isExact ? { isExact } : {}),
      ...(limits.get(name)?.mask ? { isMasked: true } : {}),
      ...(untrusted.has(name) ? { isUntrusted: true } : {}),
      ...(isUsual ? {} : { operators: own }),
      ...(enumValues ? { enumValues: enumValues.slice(0, maxEnumValues) } : {}),
    };
  });
}

function nameOfType({ type }: ColumnSchema): string {
  return typeof type === 'string' ? type : JSON.stringify(type);
}
