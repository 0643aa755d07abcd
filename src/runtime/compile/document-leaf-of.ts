import type { DocumentLeaf } from '../model/compiled-model.ts';
import type { Expression } from '../query/expression.ts';
import type { CollectionDraft, ExpressionDraft } from './collection-draft.ts';

/** The value in a document that an expression writes to. Where it must be writable and is not, a text says why. */
export function documentLeafOf(
  owner: CollectionDraft,
  { writing }: ExpressionDraft,
  expression: Expression,
): DocumentLeaf | string | undefined {
  if (writing === 'never') return undefined;
  const leaf = leafOf(owner, expression);
  if (leaf || writing === 'where it can be') return leaf;
  return 'cannot be written: only a value in a document of the collection can, by keys alone, if the document can be.';
}

function leafOf(owner: CollectionDraft, expression: Expression): DocumentLeaf | undefined {
  if (!('jsonPath' in expression)) return undefined;
  const { field, path } = expression.jsonPath;
  const column = owner.native.fields.get(field);
  const keys = path.filter((step) => typeof step === 'string');
  const isWritable = column?.kind === 'column' && !column.isReadOnly && keys.length === path.length;
  return isWritable ? { column: field, path: keys } : undefined;
}
