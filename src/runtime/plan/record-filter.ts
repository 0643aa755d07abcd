import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { firstFrame } from '../customizer/call-site.ts';
import type { Authoriser } from '../permissions/authoriser.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { parseConditionTree } from '../query/parse-condition-tree.ts';
import type { Caller } from './caller.ts';
import { checkConditionTree } from './check-condition-tree.ts';
import type { CompiledCollection, CompiledModel } from './compiled-model.ts';
import { columnLookup } from './field-path.ts';

/** All of `trees` at once; `undefined` for no condition. */
export function intersect(trees: readonly (ConditionTree | undefined)[]): ConditionTree | undefined {
  const present = trees.filter((tree) => tree !== undefined);
  return present.length > 1 ? { aggregator: 'And', conditions: present } : present[0];
}

/** What the caller is restricted to; a scope that does not fit the collection shuts it. */
export async function scopeCondition(
  model: CompiledModel,
  collection: CompiledCollection,
  authoriser: Authoriser,
  caller: Caller,
): Promise<ConditionTree | undefined> {
  const scope = await authoriser.scopeOf(caller, collection.name);
  try {
    return parseConditionTree(scope, columnLookup(model, collection));
  } catch (error) {
    throw new CloudError({
      code: 'REQUEST_FORBIDDEN',
      message: `The scope of "${collection.name}" does not fit the collection, so it is closed to you.`,
      nextSteps: ['Ask an administrator to correct the scope.'],
      cause: error,
    });
  }
}

/** The condition of a segment for the caller. Throws `REQUEST_INVALID` for an unknown one, `CUSTOMIZATION_FAILED` for a faulty one. */
export async function segmentCondition(
  model: CompiledModel,
  collection: CompiledCollection,
  name: string,
  caller: Caller,
): Promise<ConditionTree> {
  const definition = collection.segments.get(name);
  if (definition === undefined) {
    throw new CloudError({
      code: 'REQUEST_INVALID',
      message: `The collection "${collection.name}" has no segment "${name}".`,
      nextSteps: ['Correct the "segment" parameter.'],
      details: { parameter: 'segment' },
    });
  }
  if (typeof definition !== 'function') return definition;
  const subject = `The segment "${name}" of "${collection.name}"`;
  let tree: ConditionTree;
  try {
    tree = await definition({ caller });
  } catch (error) {
    throw segmentFailed(`${subject} threw an error.`, error);
  }
  try {
    checkConditionTree(model, collection, tree);
  } catch (error) {
    throw isCloudError(error) ? segmentFailed(`${subject} returned a wrong condition: ${error.message}`, error) : error;
  }
  return tree;
}

function segmentFailed(message: string, cause: unknown): CloudError {
  const location = cause instanceof Error && !isCloudError(cause) ? firstFrame(cause.stack ?? '') : undefined;
  return new CloudError({
    code: 'CUSTOMIZATION_FAILED',
    message,
    nextSteps: ['Correct the segment; it gives a condition on the fields of its collection.'],
    cause,
    ...(location ? { location } : {}),
  });
}
