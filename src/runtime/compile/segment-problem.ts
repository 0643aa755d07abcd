import type { DeclarationOf } from '../customizer/declaration.ts';
import { checkConditionTree } from '../model/check-condition-tree.ts';
import type { ModelView } from '../model/compiled-model.ts';
import { inCodeSpelling } from '../query/code-spelling.ts';
import { type CompileProblem, faultOf, problemOf } from './compile-problem.ts';
import { requestFault } from './request-fault.ts';

/** The reason why a segment cannot work, as far as it is known before a request. */
export function segmentProblem(model: ModelView, declaration: DeclarationOf<'segment'>): CompileProblem | undefined {
  const { name, definition } = declaration;
  const collection = model.collections.get(declaration.collection);
  if (!collection || typeof definition === 'function') return undefined;
  const fault = requestFault(() => checkConditionTree(model, collection, inCodeSpelling(definition)));
  if (fault === undefined) return undefined;
  return problemOf(faultOf(`The segment "${name}" of "${collection.name}":`, fault), declaration);
}
