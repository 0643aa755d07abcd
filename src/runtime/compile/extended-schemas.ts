import type { CollectionSchema } from '../query/collection-schema.ts';
import type { CollectionDraft, CollectionDrafts } from './collection-draft.ts';
import type { Relations } from './declared-relations.ts';
import { expressionsOf } from './document-leaves.ts';
import { isJoinable } from './joinable-relations.ts';
import type { ResolvedExpressions } from './resolve-expressions.ts';

/**
 * The collections that data sources can extend by themselves: with declared relations that they can join, and with
 * expressions. Other collections are not in it.
 */
export function extendedSchemas(
  drafts: CollectionDrafts,
  relations: Relations,
  expressions: ResolvedExpressions,
): Map<CollectionDraft, CollectionSchema> {
  return new Map(
    [...drafts.customized.values()].flatMap((draft) => {
      const joinable = relations.declaredOn(draft).filter((relation) => isJoinable(drafts, draft, relation));
      const computed = expressionsOf(draft, expressions).flatMap(({ native }) => native ?? []);
      const added = [...joinable, ...computed];
      if (added.length === 0) return [];
      const fields = new Map([...draft.native.fields, ...added.map((field) => [field.name, field] as const)]);
      return [[draft, { ...draft.native, fields }] as const];
    }),
  );
}
