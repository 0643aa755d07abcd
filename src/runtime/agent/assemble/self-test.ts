import type { AgentTokenClaims } from '#contracts/agent-token';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { CompiledCollection, CompiledField, CompiledModel } from '../../model/compiled-model.ts';
import { allowEverything } from '../../permissions/authoriser.ts';
import type { CallContext } from '../../records/calls/call-context.ts';
import { createRecordService } from '../../records/create-record-service.ts';
import { isPlain } from '../../records/read/plan-filter-and-order.ts';
import { hasHooks } from '../../records/read/run-hooks.ts';
import type { RecordService } from '../../records/request/record-service.ts';
import { customizationError } from '../../user-code/customization-error.ts';
import { withDeadline } from '../../user-code/deadline.ts';
import { isRefusal } from '../../user-code/refusal-of.ts';
import { createSelfTestAnswers, type SelfTestAnswers } from './self-test-answers.ts';

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
  /** The person that it reads as. */
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
  const answers = createSelfTestAnswers();
  const context: CallContext = {
    caller: { ...identity, ...allowEverything.namesOf(identity), timezone: 'UTC', requestId: 'self-test' },
    readFrom: answers.through,
  };
  return async (model) => {
    try {
      await readAll(model, context, { projectRoot, isTolerated, answers });
      answers.keepRecent();
    } catch (error) {
      // The fault may have been a record, which somebody corrects in the database.
      answers.forgetAll();
      throw error;
    }
  };
}

interface SelfTestRun {
  readonly projectRoot: string | undefined;
  isTolerated(error: unknown): boolean;
  readonly answers: SelfTestAnswers;
}

async function readAll(
  model: CompiledModel,
  context: CallContext,
  { projectRoot, isTolerated, answers }: SelfTestRun,
): Promise<void> {
  const service = createRecordService(model, allowEverything);
  /** Resolves with whether the read came to its end. */
  const attempt = async (doing: string, work: Promise<unknown>): Promise<boolean> => {
    try {
      await withDeadline(doing, deadlineMs, work);
      return true;
    } catch (error) {
      // A guard that turns this reader away does what it is there for.
      const isExpected = (isCloudError(error) && isRefusal(error.cause)) || isTolerated(error);
      if (!isExpected) throw customizationError(error, doing, projectRoot);
      return false;
    }
  };
  for (const collection of testedCollections(model)) {
    await attempt(`The collection "${collection.name}"`, readOne(service, collection, context));
    for (const segment of collection.segments.keys()) {
      const question = questionWithoutCode(model, collection, segment);
      if (question && answers.isAnswered(collection.store, question)) continue;
      const doing = `The segment "${segment}" of "${collection.name}"`;
      const isDone = await attempt(doing, readOne(service, collection, context, segment));
      if (isDone && question) answers.noteAnswered(collection.store, question);
    }
  }
}

/** What the database is asked through a segment; `undefined` where code has a part in it. */
function questionWithoutCode(
  model: CompiledModel,
  { name }: CompiledCollection,
  segment: string,
): readonly unknown[] | undefined {
  const collection = model.original.collections.get(name);
  const condition = collection?.segments.get(segment);
  if (!collection || !condition || typeof condition === 'function') return undefined;
  if (hasHooks(collection, 'Before', 'List') || hasHooks(collection, 'After', 'List')) return undefined;
  return isPlain(model.original, collection, condition) ? ['segment', name, condition] : undefined;
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
