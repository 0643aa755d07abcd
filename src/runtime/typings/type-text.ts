import type { ColumnSchema } from '../query/collection-schema.ts';
import type { ColumnType, PrimitiveType } from '../query/column-type.ts';
import { isListType } from '../query/operators.ts';
import { compareCodeUnits, propertyText, quoted } from './quote-name.ts';

const primitiveTexts: Readonly<Record<PrimitiveType, string>> = {
  Binary: 'Uint8Array',
  Boolean: 'boolean',
  Date: 'DateText',
  Dateonly: 'DateonlyText',
  Enum: 'string',
  Json: 'unknown',
  Number: 'number',
  Point: 'PointText',
  String: 'string',
  Time: 'TimeText',
  Uuid: 'UuidText',
};

/** Texts that are more than texts, by the name of their column type. */
const textKinds = ['Date', 'Dateonly', 'Number', 'Point', 'Time', 'Uuid'] as const satisfies readonly PrimitiveType[];

/** The type of the values of a column, absent ones left out. */
export function typeText(column: ColumnSchema): string {
  return columnTypeText(column.type, column.isExact, column.enumValues ?? []);
}

function columnTypeText(type: ColumnType, isExact: boolean, enumValues: readonly string[]): string {
  if (type === 'Enum' && enumValues.length > 0) return [...new Set(enumValues)].sort().map(quoted).join(' | ');
  if (type === 'Number' && isExact) return 'NumberText';
  if (typeof type === 'string') return primitiveTexts[type];
  if (isListType(type)) {
    const item = columnTypeText(type[0], isExact, enumValues);
    return / /.test(item) ? `(${item})[]` : `${item}[]`;
  }
  const members = Object.entries(type).toSorted(([a], [b]) => compareCodeUnits(a, b));
  const texts = members.map(([name, inner]) => {
    const text = columnTypeText(inner, false, []);
    return `${propertyText(name)}: ${text === 'unknown' ? text : `${text} | null`}`;
  });
  return texts.length === 0 ? 'Record<never, never>' : `{ ${texts.join('; ')} }`;
}

/**
 * The types that `text` names. Each is a text with a property that is never there: a text fits where one is wanted and the
 * other way round, and the types of the package read the column type from it.
 */
export function textAliases(text: string): string {
  return textKinds
    .filter((kind) => text.includes(`${kind}Text`))
    .map((kind) => `type ${kind}Text = string & { readonly '~column'?: '${kind}' };\n`)
    .join('');
}
