import type { AgentTokenClaims } from '#contracts/agent-token';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection, CompiledField, CompiledModel } from '../../model/compiled-model.ts';
import { allowEverything } from '../../permissions/allow-everything.ts';
import type { CallContext } from '../../records/calls/call-context.ts';
import { createRecordService } from '../../records/create-record-service.ts';
import type { RecordService } from '../../records/request/record-service.ts';
import { customizationError } from '../../user-code/customization-error.ts';
import { withDeadline } from '../../user-code/deadline.ts';
import { isRefusal } from '../../user-code/refusal-of.ts';
import { createRememberedAnswers } from './remembered-answers.ts';

const deadlineMs = 10_000;
/** How many collections without customizations are read as well. */
const plainCollections = 3;
const firstRecord = { skip: 0, limit: 1 };

/**
 * Tries a model before it is served: reads one record with every computed field, and through every segment. Rejects with the
 * error that a request would meet.
 */
export type SelfTest = (model: CompiledModel) => Promise<void>;

export interface SelfTestOptions {
  /** Whom it reads as. */
  readonly identity: AgentTokenClaims;
  /** Whether a model may be served while a database is away. What only that database could tell stays untested then. */
  readonly mayDatabasesBeAway: boolean;
}

/**
 * The self-test of an agent. Each run calls every handler, because a function that looks as before may call another one that
 * changed. The databases get only the queries that the run before did not ask.
 */
export function createSelfTest(
  { identity, mayDatabasesBeAway }: SelfTestOptions,
  projectRoot: string | undefined,
): SelfTest {
  const isTolerated = (error: unknown) =>
    mayDatabasesBeAway && isCloudError(error) && error.code === 'DATABASE_UNREACHABLE';
  const answers = createRememberedAnswers();
  const context: CallContext = {
    caller: { ...identity, timezone: 'UTC', requestId: 'self-test' },
    readFrom: answers.through,
  };
  return async (model) => {
    try {
      await readAll(model, context, projectRoot, isTolerated);
      answers.keepRecent();
    } catch (error) {
      // The fault may have been a record, which somebody corrects in the database.
      answers.forgetAll();
      throw error;
    }
  };
}

async function readAll(
  model: CompiledModel,
  context: CallContext,
  projectRoot: string | undefined,
  isTolerated: (error: unknown) => boolean,
): Promise<void> {
  const service = createRecordService(model, allowEverything);
  const attempt = async (doing: string, work: Promise<unknown>) => {
    try {
      await withDeadline(doing, deadlineMs, work);
    } catch (error) {
      // A guard that turns this reader away does what it is there for.
      if (isCloudError(error) && isRefusal(error.cause)) return;
      if (!isTolerated(error)) throw customizationError(error, doing, projectRoot);
    }
  };
  for (const collection of testedCollections(model)) {
    await attempt(`The collection "${collection.name}"`, readOne(service, collection, context));
    for (const segment of collection.segments.keys()) {
      const doing = `The segment "${segment}" of "${collection.name}"`;
      await attempt(doing, readOne(service, collection, context, segment));
    }
  }
}

/** The collections with something to test, then a few others. */
function testedCollections(model: CompiledModel): readonly CompiledCollection[] {
  const tried: CompiledCollection[] = [];
  const plain: CompiledCollection[] = [];
  for (const collection of model.collections.values()) {
    const isTried = collection.segments.size > 0 || computedNames(collection).length > 0;
    (isTried ? tried : plain).push(collection);
  }
  return [...tried, ...plain.slice(0, plainCollections)];
}

function readOne(
  service: RecordService,
  collection: CompiledCollection,
  context: CallContext,
  segment?: string,
): Promise<unknown> {
  const columns = namesOfKind(collection, 'column').slice(0, 1);
  const projection = segment === undefined ? [...columns, ...computedNames(collection)] : columns;
  return service.list({ collection: collection.name, projection, segment, page: firstRecord }, context);
}

function computedNames(collection: CompiledCollection): readonly string[] {
  return namesOfKind(collection, 'computed', 'imported');
}

function namesOfKind({ fields }: CompiledCollection, ...kinds: readonly CompiledField['kind'][]): readonly string[] {
  const names: string[] = [];
  for (const { kind, name } of fields.values()) if (kinds.includes(kind)) names.push(name);
  return names;
}
