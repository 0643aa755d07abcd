import type { DeclarationOnCollection } from '../customizer/declaration.ts';
import type { ModelView } from '../model/compiled-model.ts';
import { resolvePath } from '../model/field-path.ts';
import { type CollectionDrafts, customizedOf } from './collection-draft.ts';
import { type CompileProblem, faultOf, problemOf } from './compile-problem.ts';
import { requestFault } from './request-fault.ts';

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
        const cycle = cycleFrom(model, `${collection.name}.${name}`);
        if (cycle) problems.push(problemOf(`${subject} comes back to itself: ${cycle.join(' → ')}.`, declaration()));
      }
    }
  }
  return problems;
}

function cycleFrom(model: ModelView, start: string): readonly string[] | undefined {
  const visit = (key: string, trail: readonly string[]): readonly string[] | undefined => {
    if (trail.includes(key)) return key === start ? [...trail, key] : undefined;
    for (const next of replacementsOf(model, key)) {
      const cycle = visit(next, [...trail, key]);
      if (cycle) return cycle;
    }
    return undefined;
  };
  return visit(start, []);
}

/** The fields that a field is sorted by instead, as `collection.field`. */
function replacementsOf(model: ModelView, key: string): readonly string[] {
  const split = key.indexOf('.');
  const collection = model.collections.get(key.slice(0, split));
  const sort = collection?.rules.get(key.slice(split + 1))?.sort;
  if (!collection || sort === undefined || sort === 'emulated') return [];
  return sort.flatMap((clause) => {
    const known = requestFault(() => resolvePath(model, collection, clause.field)) === undefined;
    if (!known) return [];
    const { collection: owner, field } = resolvePath(model, collection, clause.field);
    return [`${owner.name}.${field.name}`];
  });
}
