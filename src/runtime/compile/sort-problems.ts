import type { DeclarationOnCollection } from '../customizer/declaration.ts';
import type { ModelView } from '../model/compiled-model.ts';
import { resolvePath } from '../model/field-path.ts';
import { type CollectionDrafts, customizedOf } from './collection-draft.ts';
import { type CompileProblem, faultOf, problemOf, requestFault } from './compile-problem.ts';

/** Sort replacements that name what is not there, or come back to themselves. */
export function sortProblems(
  model: ModelView,
  drafts: CollectionDrafts,
  declarations: readonly DeclarationOnCollection[],
): CompileProblem[] {
  const problems: CompileProblem[] = [];
  for (const collection of customizedOf(model, drafts)) {
    for (const [name, rules] of collection.rules) {
      if (rules.sort === undefined || rules.sort === 'emulated') continue;
      const declaration = () =>
        declarations.findLast(
          (other) => other.kind === 'sort replacement' && other.collection === collection.name && other.name === name,
        );
      const subject = `The sort replacement of "${name}" of "${collection.name}"`;
      const faults = rules.sort.map(({ field }) => requestFault(() => resolvePath(model, collection, field)));
      const fault = faults.find((found) => found !== undefined);
      if (fault !== undefined) problems.push(problemOf(faultOf(`${subject}:`, fault), declaration()));
      else {
        const cycle = cycleFrom(model, { collection: collection.name, name });
        if (cycle) problems.push(problemOf(`${subject} comes back to itself: ${cycle.join(' → ')}.`, declaration()));
      }
    }
  }
  return problems;
}

/** A field of a collection, whose names may both hold dots. */
interface SortedField {
  readonly collection: string;
  readonly name: string;
}

function cycleFrom(model: ModelView, start: SortedField): readonly string[] | undefined {
  const visit = (field: SortedField, trail: readonly SortedField[]): readonly SortedField[] | undefined => {
    if (trail.some((passed) => isSame(passed, field))) return isSame(field, start) ? [...trail, field] : undefined;
    for (const next of replacementsOf(model, field)) {
      const cycle = visit(next, [...trail, field]);
      if (cycle) return cycle;
    }
    return undefined;
  };
  return visit(start, [])?.map(({ collection, name }) => `${collection}.${name}`);
}

function isSame(a: SortedField, b: SortedField): boolean {
  return a.collection === b.collection && a.name === b.name;
}

/** The fields that a field is sorted by instead. */
function replacementsOf(model: ModelView, { collection: owner, name }: SortedField): readonly SortedField[] {
  const collection = model.collections.get(owner);
  const sort = collection?.rules.get(name)?.sort;
  if (!collection || sort === undefined || sort === 'emulated') return [];
  return sort.flatMap((clause) => {
    const known = requestFault(() => resolvePath(model, collection, clause.field)) === undefined;
    if (!known) return [];
    const end = resolvePath(model, collection, clause.field);
    return [{ collection: end.collection.name, name: end.field.name }];
  });
}
