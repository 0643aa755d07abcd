import { isCloudError } from '#kernel/errors/cloud-error';
import type { DeclarationOf } from '../customizer/declaration.ts';
import { checkConditionTree } from './check-condition-tree.ts';
import type { CompileProblem } from './compile-problem.ts';
import type { ModelView } from './compiled-model.ts';

/** Why a segment cannot work, as far as that is known before a request. */
export function segmentProblem(model: ModelView, declaration: DeclarationOf<'segment'>): CompileProblem | undefined {
  const { name, definition, location } = declaration;
  const collection = model.collections.get(declaration.collection);
  if (!collection || typeof definition === 'function') return undefined;
  const subject = `The segment "${name}" of "${collection.name}"`;
  try {
    checkConditionTree(model, collection, definition);
    return undefined;
  } catch (error) {
    if (isCloudError(error) && error.kind !== 'bug') return { message: `${subject}: ${error.message}`, location };
    throw error;
  }
}
