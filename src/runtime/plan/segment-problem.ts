import type { DeclarationOf } from '../customizer/declaration.ts';
import { checkConditionTree } from './check-condition-tree.ts';
import { requestFault } from './compile/request-fault.ts';
import { type CompileProblem, faultOf, problemOf } from './compile-problem.ts';
import type { ModelView } from './compiled-model.ts';

/** Why a segment cannot work, as far as that is known before a request. */
export function segmentProblem(model: ModelView, declaration: DeclarationOf<'segment'>): CompileProblem | undefined {
  const { name, definition } = declaration;
  const collection = model.collections.get(declaration.collection);
  if (!collection || typeof definition === 'function') return undefined;
  const fault = requestFault(() => checkConditionTree(model, collection, definition));
  if (fault === undefined) return undefined;
  return problemOf(faultOf(`The segment "${name}" of "${collection.name}":`, fault), declaration);
}
