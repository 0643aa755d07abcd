import type { CompileProblem } from '../compile-problem.ts';
import type { ModelView } from '../compiled-model.ts';
import { resolvePath } from '../field-path.ts';
import type { CollectionDrafts } from './collection-draft.ts';
import { requestProblem } from './request-problem.ts';

/** Sort replacements that name what is not there, or come back to themselves. */
export function sortProblems(model: ModelView, drafts: CollectionDrafts): CompileProblem[] {
  const problems: CompileProblem[] = [];
  for (const collection of model.collections.values()) {
    for (const [name, rules] of collection.rules) {
      if (rules.sort === undefined || rules.sort === 'emulated') continue;
      const location = drafts.get(collection.name)?.rules.get(name)?.location;
      const subject = `The sort replacement of "${name}" of "${collection.name}"`;
      const unknown = rules.sort.map(({ field }) => requestProblem(() => resolvePath(model, collection, field)));
      const problem = unknown.find((message) => message !== undefined);
      if (problem !== undefined) problems.push({ message: `${subject}: ${problem}`, location });
      else {
        const cycle = cycleFrom(model, `${collection.name}.${name}`);
        if (cycle) problems.push({ message: `${subject} comes back to itself: ${cycle.join(' → ')}.`, location });
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
    const known = requestProblem(() => resolvePath(model, collection, clause.field)) === undefined;
    if (!known) return [];
    const { collection: owner, field } = resolvePath(model, collection, clause.field);
    return [`${owner.name}.${field.name}`];
  });
}
