import { type CompiledCollection, columnOf, isValueField, type ValueField } from './compiled-model.ts';

/** Names of fields by which people tell records apart, the best first; in lower case, with underscores. */
const telling: readonly RegExp[] = [
  /^name$/,
  /^(?:full|display)_name$/,
  /^title$/,
  /^label$/,
  /(?:^|_)(?:reference|ref)$/,
  /^code$/,
  /(?:name|_title|_label)$/,
  /(?:^|_)email$/,
];

/** Whether a field is probably one by which people tell records apart. */
export function tellsRecordsApart(field: string): boolean {
  return rankOf(field) < telling.length;
}

/**
 * The field that names a record for people: the one that code says, else a text with a telling name, else the key, else the first
 * field.
 */
export function titleField({ title, fields, primaryKey }: CompiledCollection): string {
  if (title !== undefined) return title;
  const values = [...fields.values()].filter(isValueField);
  const texts = values.filter((field) => columnOf(field).type === 'String' && tellsRecordsApart(field.name));
  // A computed field costs a call of code for each page.
  const costOf = ({ kind }: ValueField) => (kind === 'column' ? 0 : 1);
  const [best] = texts.toSorted((a, b) => rankOf(a.name) - rankOf(b.name) || costOf(a) - costOf(b));
  return best?.name ?? primaryKey[0] ?? values[0]?.name ?? '';
}

function rankOf(field: string): number {
  const name = field
    .replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => `_${letter}`)
    .replaceAll(/[\s-]/g, '_')
    .toLowerCase();
  const rank = telling.findIndex((pattern) => pattern.test(name));
  return rank === -1 ? telling.length : rank;
}
