import { type CompiledCollection, columnOf, isValueField } from './compiled-model.ts';

/** Names of columns by which people tell records apart. */
const telling = /(?:^|[_\s])(?:name|title|label|reference|ref|code|email)$|(?:Name|Title|Label|Reference|Email)$/i;

/** Whether a field is probably one by which people tell records apart. */
export function tellsRecordsApart(field: string): boolean {
  return telling.test(field);
}

/**
 * The field that names a record for people: the one that code says, else a text with a telling name, else the key, else the first
 * field.
 */
export function titleField({ title, fields, primaryKey }: CompiledCollection): string {
  if (title !== undefined) return title;
  const values = [...fields.values()].filter(isValueField);
  const telling = values.find((field) => columnOf(field).type === 'String' && tellsRecordsApart(field.name));
  return telling?.name ?? primaryKey[0] ?? values[0]?.name ?? '';
}
