import type { AnyFieldDefinition } from '../customizer/field-definition.ts';
import type { ComputedField } from '../model/compiled-model.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import type { ColumnType, DeclaredType } from '../query/column-type.ts';
import { isColumnType, unknownTypeProblem } from '../query/column-type-problem.ts';
import { columnValueProblem } from '../query/column-value.ts';

/** A computed field whose own parts are in order, or what is wrong with it, to follow its name in a sentence. */
export function compileComputedField(name: string, definition: AnyFieldDefinition): ComputedField | string {
  const { dependencies, enumValues } = definition;
  const columnType = declaredColumnType(definition.columnType);
  if (!columnType) return unknownTypeProblem(definition.columnType);
  if (typeof definition.getValues !== 'function') return 'needs a function "getValues".';
  if (!Array.isArray(dependencies) || dependencies.length === 0) return 'needs at least one dependency.';
  if (!dependencies.every((path) => typeof path === 'string')) return 'has a dependency that is not a name.';
  const isTexts = Array.isArray(enumValues) && enumValues.every((value) => typeof value === 'string');
  if (enumValues !== undefined && !isTexts) return 'has "enumValues" that are not a list of texts.';
  if (columnType === 'Enum' && !enumValues?.length) return 'is an Enum and needs its "enumValues".';
  const column = publishedColumn(name, columnType, definition);
  const problem = columnValueProblem({ ...column, isExact: true }, definition.defaultValue);
  if (problem !== undefined) return `has a "defaultValue" that must be ${problem}.`;
  return {
    kind: 'computed',
    name,
    column,
    dependencies,
    getValues: (records, context) => definition.getValues(records, context),
  };
}

/** How a computed field looks to a client. */
function publishedColumn(
  name: string,
  columnType: ColumnType,
  { enumValues, defaultValue }: AnyFieldDefinition,
): ColumnSchema {
  return {
    kind: 'column',
    name,
    type: columnType,
    nativeType: '',
    isPrimaryKey: false,
    isNullable: true,
    isReadOnly: true,
    isSortable: false,
    isGroupable: columnType !== 'Json' && typeof columnType === 'string',
    isExact: false,
    operators: new Set(),
    hasDefault: false,
    ...(enumValues ? { enumValues } : {}),
    ...(defaultValue === undefined ? {} : { defaultValue }),
  };
}

/** The type that is meant, or `undefined` when it is not one. */
export function declaredColumnType(declared: DeclaredType): ColumnType | undefined {
  if (declared === 'File') return 'Binary';
  if (declared === 'Timeonly') return 'Time';
  return isColumnType(declared) ? declared : undefined;
}
