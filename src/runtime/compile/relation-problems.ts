import { columnOf, isValueField, type ModelView } from '../model/compiled-model.ts';
import type { JoinPairs } from '../query/collection-schema.ts';
import type { CollectionDrafts } from './collection-draft.ts';
import { type CompileProblem, problemOf } from './compile-problem.ts';

/** Declared relations whose keys can never be equal, or cannot be looked for. */
export function relationProblems(model: ModelView, drafts: CollectionDrafts): CompileProblem[] {
  const problems: CompileProblem[] = [];
  for (const draft of drafts.customized.values()) {
    for (const declared of draft.declaredFields.values()) {
      const relation = model.collections.get(draft.name)?.fields.get(declared.name);
      if (declared.kind !== 'declared relation' || !relation || isValueField(relation)) continue;
      const { foreignCollection: foreign } = relation;
      const found =
        relation.kind === 'ManyToMany'
          ? (keyProblem(model, draft.name, relation.originJoin, relation.throughCollection) ??
            keyProblem(model, relation.throughCollection, relation.foreignJoin, foreign))
          : keyProblem(model, draft.name, relation.join, foreign);
      if (found === undefined) continue;
      const subject = `The relation "${relation.name}" of "${draft.name}"`;
      problems.push(problemOf(`${subject} cannot be followed: ${found}`, declared.declaration));
    }
  }
  return problems;
}

function keyProblem(model: ModelView, local: string, pairs: JoinPairs, foreign: string): string | undefined {
  for (const pair of pairs) {
    const here = keyColumn(model, local, pair.local);
    const there = keyColumn(model, foreign, pair.foreign);
    // Whatever kept a key from being made has been refused already.
    if (!here || !there) continue;
    if (JSON.stringify(here.type) !== JSON.stringify(there.type)) {
      return `"${local}.${pair.local}" is ${typeText(here.type)} and "${foreign}.${pair.foreign}" is ${typeText(there.type)}.`;
    }
    for (const [owner, column] of [
      [local, here],
      [foreign, there],
    ] as const) {
      if (column.operators.has('In')) continue;
      return `"${owner}.${column.name}" cannot be filtered with "In"; emulate or replace that operator.`;
    }
  }
  return undefined;
}

function keyColumn(model: ModelView, collection: string, name: string) {
  const field = model.collections.get(collection)?.fields.get(name);
  return field && isValueField(field) ? columnOf(field) : undefined;
}

function typeText(type: unknown): string {
  return typeof type === 'string' ? type : JSON.stringify(type);
}
