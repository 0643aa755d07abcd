import type { CollectionOutline, ColumnOutline } from '../../customizer/collection-outline.ts';

/** The type of a column, or of one at the end of `relation:relation:column`; `undefined` for what customizations add. */
export function columnType(
  collections: readonly CollectionOutline[],
  collection: string,
  path: string,
): ColumnOutline['type'] | undefined {
  const outline = collections.find(({ name }) => name === collection);
  const [first = '', ...rest] = path.split(':');
  if (rest.length === 0) return outline?.columns.find(({ name }) => name === first)?.type;
  const relation = outline?.relations.find(({ name }) => name === first);
  return relation?.foreignCollection ? columnType(collections, relation.foreignCollection, rest.join(':')) : undefined;
}
