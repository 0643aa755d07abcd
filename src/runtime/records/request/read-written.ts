import { isCloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import { planProjection } from '../read/plan-projection.ts';
import { readOne } from './read-list.ts';
import type { RecordReader } from './record-reader.ts';

/**
 * Read the record that a write answers with. The write is committed: where a computed field fails, the log says so, and the
 * answer leaves out what code computes.
 */
export async function readWritten(
  reader: RecordReader,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  context: CallContext,
  report: (message: string, error: unknown) => void,
): Promise<RecordData | undefined> {
  const { model, engine } = reader;
  const plan = await reader.planOf(collection, undefined, context);
  try {
    return await readOne(reader, collection, where, context, plan);
  } catch (error) {
    const original = engine.collectionNamed(collection.name);
    const isStored = (path: string) => {
      const { steps } = planProjection(model.original, original, [model.names.originalPath(collection.name, path)]);
      return steps.every(({ kind }) => kind !== 'compute');
    };
    const stored = plan.published.filter(isStored);
    const isCustomization = isCloudError(error) && error.code === 'CUSTOMIZATION_FAILED';
    if (!isCustomization || stored.length === plan.published.length) throw error;
    report(
      `A record of "${collection.name}" was written, and answered without its computed fields: one failed.`,
      error,
    );
    return readOne(reader, collection, where, context, reader.planOf(collection, stored, context));
  }
}
