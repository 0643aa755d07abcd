import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { AnyFieldDefinition } from '../customizer/field-definition.ts';
import type { ComputedField } from '../model/compiled-model.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import type { ColumnType, DeclaredType, PrimitiveType } from '../query/column-type.ts';
import { columnValueProblem } from '../query/column-value.ts';
import { isListType } from '../query/operators.ts';

const primitives: Readonly<Record<PrimitiveType, true>> = {
  Binary: true,
  Boolean: true,
  Date: true,
  Dateonly: true,
  Enum: true,
  Json: true,
  Number: true,
  Point: true,
  String: true,
  Time: true,
  Uuid: true,
};

const typeNames: readonly string[] = [...Object.keys(primitives), 'File'];

/** A computed field whose own parts are in order, or what is wrong with it, to follow its name in a sentence. */
export function compileComputedField(name: string, definition: AnyFieldDefinition): ComputedField | string {
  const { dependencies, enumValues } = definition;
  const columnType = columnTypeOf(definition.columnType);
  if (!columnType) return unknownTypeProblem(definition.columnType);
  if (typeof definition.getValues !== 'function') return 'needs a function "getValues".';
  if (!Array.isArray(dependencies) || dependencies.length === 0) return 'needs at least one dependency.';
  if (!dependencies.every((path) => typeof path === 'string')) return 'has a dependency that is not a name.';
  const isTexts = Array.isArray(enumValues) && enumValues.every((value) => typeof value === 'string');
  if (enumValues !== undefined && !isTexts) return 'has "enumValues" that are no list of texts.';
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

/** The type that is meant, or `undefined` when it is none. */
export function columnTypeOf(declared: DeclaredType): ColumnType | undefined {
  if (declared === 'File') return 'Binary';
  if (declared === 'Timeonly') return 'Time';
  return isColumnType(declared) ? declared : undefined;
}

/** What is wrong with a type, to follow the name of its field in a sentence, with the types that there are. */
export function unknownTypeProblem(declared: unknown): string {
  const wrong = wrongPart(declared);
  const hint = typeof wrong === 'string' ? didYouMean(nearestName(wrong, typeNames)) : '';
  const known = `Types are ${typeNames.join(', ')}, a list of one of them, and an object of them.`;
  return `has the unknown column type ${JSON.stringify(wrong)}.${hint} ${known}`;
}

/** The first part of a type that is none. */
function wrongPart(declared: unknown): unknown {
  if (typeof declared !== 'object' || declared === null) return declared;
  if (Array.isArray(declared)) return declared.length === 1 ? wrongPart(declared[0]) : declared;
  return wrongPart(Object.values(declared).find((type: ColumnType) => !isColumnType(type)));
}

/** Whether it is one of the types that a column may have, at any depth. */
export function isColumnType(type: ColumnType): boolean {
  if (typeof type === 'string') return Object.hasOwn(primitives, type);
  if (typeof type !== 'object' || type === null) return false;
  if (Array.isArray(type) && type.length !== 1) return false;
  return isListType(type) ? isColumnType(type[0]) : Object.values(type).every(isColumnType);
}
