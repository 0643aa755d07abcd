import type { MongoDocument } from '#kernel/ports/mongo-database';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { DocumentSource } from './document-source.ts';
import { encodeValue } from './document-values.ts';

/** The key of the record that shows an element of an array, in parts. */
interface ElementKey {
  /** The `_id` of the document, as text. */
  readonly root: string;
  /** The `_id` of the element, as text. */
  readonly element: string;
}

/** Takes `<document>.<path>.<element>` apart; `undefined` for a text that is no such key. */
function parseElementKey(path: string, key: string): ElementKey | undefined {
  const sign = `.${path}.`;
  const at = key.lastIndexOf(sign);
  return at === -1 ? undefined : { root: key.slice(0, at), element: key.slice(at + sign.length) };
}

/**
 * A filter on the documents that hold the wanted elements, where the condition names elements or documents by their keys: so that not
 * every document is taken apart.
 */
export function rootFilter(source: DocumentSource, conditions: readonly ConditionTree[]): MongoDocument | undefined {
  for (const leaf of conditions) {
    if (isBranch(leaf) || (leaf.operator !== 'Equal' && leaf.operator !== 'In')) continue;
    const path = source.paths.get(leaf.field);
    const values = leaf.operator === 'In' && Array.isArray(leaf.value) ? leaf.value : [leaf.value];
    const texts = values.filter((value) => value !== null && value !== undefined).map(String);
    if (path === 'parentId') return { _id: { $in: texts.map((text) => rootIdOf(source, text)) } };
    if (path !== '_id') continue;
    const roots = texts.flatMap((text) => parseElementKey(source.element?.path ?? '', text)?.root ?? []);
    return { _id: { $in: roots.map((text) => rootIdOf(source, text)) } };
  }
  return undefined;
}

/** The `_id` of a document from its text. */
function rootIdOf({ rootKey }: DocumentSource, text: string): unknown {
  return rootKey ? encodeValue(rootKey, text) : text;
}

/** The key of an element, put together as the database does it in the `prefix` of its collection. */
export function elementKey(path: string, root: string, element: string): string {
  return `${root}.${path}.${element}`;
}
