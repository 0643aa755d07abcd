import type { RelationSchema } from '../query/collection-schema.ts';
import type {
  CollectionDraft,
  CollectionDrafts,
  CustomizedDraft,
  FieldDraft,
  Refuse,
  RelationDraft,
} from './collection-draft.ts';
import { isFault } from './compile-problem.ts';
import { resolveRelation } from './resolve-relation.ts';

/** The relations of collections, native and declared, as far as they could be made. */
export interface Relations {
  /** The relation of that name; `undefined` when the collection has none that could be made. */
  named(draft: CollectionDraft, name: string): RelationSchema | undefined;
  /** The declared ones of a collection. */
  declaredOn(draft: CustomizedDraft): readonly RelationSchema[];
}

/** Name the keys of every declared relation. What cannot be made is refused and left out. */
export function declaredRelations(drafts: CollectionDrafts, refuse: Refuse): Relations {
  const made = new Map<RelationDraft, RelationSchema>();
  for (const draft of drafts.customized.values()) {
    for (const field of draft.declaredFields.values()) {
      if (field.kind !== 'declared relation') continue;
      const relation = resolveRelation(drafts, draft, field);
      if (isFault(relation)) refuse(relation, field.declaration);
      else made.set(field, relation);
    }
  }
  const relationOf = (field: FieldDraft | undefined) => {
    if (!field) return undefined;
    if (field.kind === 'declared relation') return made.get(field);
    return 'foreignCollection' in field ? field : undefined;
  };
  return {
    named: (draft, name) => relationOf(draft.fields.get(name)),
    declaredOn: ({ declaredFields }) =>
      [...declaredFields.values()].flatMap((field) =>
        field.kind === 'declared relation' ? (made.get(field) ?? []) : [],
      ),
  };
}
