import type { DeclarationOnCollection } from '../customizer/declaration.ts';
import type { CollectionDrafts, CustomizedDraft } from './collection-draft.ts';
import { type CompileProblem, problemOf } from './compile-problem.ts';

/** New names that other fields have. Two fields may swap theirs. */
export function publicationProblems(
  drafts: CollectionDrafts,
  declarations: readonly DeclarationOnCollection[],
): CompileProblem[] {
  return [...drafts.customized.values()].flatMap((draft) =>
    collisions(draft).map(({ name, newName, other }) =>
      problemOf(
        `The field "${name}" of "${draft.name}" cannot be called "${newName}": "${other}" is called so.`,
        declarations.find(
          (declaration) =>
            declaration.kind === 'rename field' &&
            declaration.collection === draft.name &&
            declaration.newName === newName,
        ),
      ),
    ),
  );
}

function collisions(draft: CustomizedDraft) {
  if (draft.renames.size === 0) return [];
  const found: { readonly name: string; readonly newName: string; readonly other: string }[] = [];
  const shownName = (name: string) => draft.renames.get(name) ?? name;
  const shown = [...draft.fields.keys()].filter((name) => !draft.removedFields.has(name));
  for (const [name, newName] of draft.renames) {
    const other = shown.find((candidate) => candidate !== name && shownName(candidate) === newName);
    if (other !== undefined && shown.includes(name)) found.push({ name, newName, other });
  }
  return found;
}
