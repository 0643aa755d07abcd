import type { DocumentLeaf } from '../model/compiled-model.ts';
import type { CustomizedDraft } from './collection-draft.ts';
import type { ResolvedExpression, ResolvedExpressions } from './resolve-expressions.ts';

/** The expressions of one collection. */
export function expressionsOf(draft: CustomizedDraft, expressions: ResolvedExpressions): ResolvedExpression[] {
  return [...draft.declaredFields.values()].flatMap((field) =>
    field.kind === 'expression' ? (expressions.get(field) ?? []) : [],
  );
}

/** The places in documents that fields are written to. */
export function documentLeaves(draft: CustomizedDraft, expressions: ResolvedExpressions): Map<string, DocumentLeaf> {
  return new Map(
    expressionsOf(draft, expressions).flatMap(({ field, leaf }) => (leaf ? [[field.name, leaf] as const] : [])),
  );
}
