import type { AgentTokenClaims } from '#contracts/agent-token';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection, CompiledModel } from '../../model/compiled-model.ts';
import { allowEverything } from '../../permissions/allow-everything.ts';
import type { CallContext } from '../../records/calls/call-context.ts';
import { createRecordService } from '../../records/create-record-service.ts';
import type { RecordService } from '../../records/request/record-service.ts';
import { customizationError } from '../../user-code/customization-error.ts';
import { withDeadline } from '../../user-code/deadline.ts';
import { isRefusal } from '../../user-code/refusal-of.ts';

const deadlineMs = 10_000;
/** How many collections without customizations are read as well. */
const plainCollections = 3;
const firstRecord = { skip: 0, limit: 1 };

/**
 * Try a model before it is served: read one record with every computed field, and through every segment. Rejects with the error
 * that a request would meet.
 */
export async function selfTest(
  model: CompiledModel,
  identity: AgentTokenClaims,
  projectRoot: string | undefined,
): Promise<void> {
  const service = createRecordService(model, allowEverything);
  const context: CallContext = { caller: { ...identity, timezone: 'UTC', requestId: 'self-test' } };
  const all = [...model.collections.values()];
  const customized = all.filter((collection) => computedNames(collection).length + collection.segments.size > 0);
  const plain = all.filter((collection) => !customized.includes(collection)).slice(0, plainCollections);
  for (const collection of [...customized, ...plain]) {
    await attempt(`The collection "${collection.name}"`, projectRoot, readOne(service, collection, context));
    for (const segment of collection.segments.keys()) {
      const doing = `The segment "${segment}" of "${collection.name}"`;
      await attempt(doing, projectRoot, readOne(service, collection, context, segment));
    }
  }
}

function readOne(
  service: RecordService,
  collection: CompiledCollection,
  context: CallContext,
  segment?: string,
): Promise<unknown> {
  const columns = [...collection.fields.values()].filter(({ kind }) => kind === 'column').slice(0, 1);
  const computed = segment === undefined ? computedNames(collection) : [];
  const projection = [...columns.map(({ name }) => name), ...computed];
  return service.list({ collection: collection.name, projection, segment, page: firstRecord }, context);
}

function computedNames(collection: CompiledCollection): readonly string[] {
  return [...collection.fields.values()]
    .filter(({ kind }) => kind === 'computed' || kind === 'imported')
    .map(({ name }) => name);
}

async function attempt(doing: string, projectRoot: string | undefined, work: Promise<unknown>): Promise<void> {
  try {
    await withDeadline(doing, deadlineMs, work);
  } catch (error) {
    // A guard that turns this reader away does what it is there for.
    if (isCloudError(error) && isRefusal(error.cause)) return;
    throw customizationError(error, doing, projectRoot);
  }
}
