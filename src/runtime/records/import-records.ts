import { setImmediate as othersTurn } from 'node:timers/promises';
import { createKeyedTaskQueue } from '#kernel/async/task-queue';
import { type CloudError, isCloudError, togetherInOne } from '#kernel/errors/cloud-error';
import { unprocessableRequest } from '#kernel/errors/request-errors';
import {
  type CompiledCollection,
  type CompiledModel,
  collectionNamed,
  writableCollection,
} from '../model/compiled-model.ts';
import { publishedRefusal } from '../model/published-refusal.ts';
import { hasKey, packId } from '../model/record-id.ts';
import type { Authoriser } from '../permissions/authoriser.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, inUnitOfCall, readInput, type Unread } from './calls/call-context.ts';
import { original } from './check-writes.ts';
import { type CheckedLine, foreseeImport, isWrittenAsSent } from './foresee-import.ts';
import { type LinkedLine, linkByTitle } from './link-by-title.ts';
import type { RecordReader } from './request/record-reader.ts';
import type {
  ImportOutcome,
  RecordImport,
  RecordService,
  RecordsToImport,
  RefusedRecord,
} from './request/record-service.ts';
import { invalidAttribute } from './write/write-attributes.ts';

/** Created records that an answer names. */
const mostNamed = 100;

/** Records that are worked on before other requests get a turn. */
const atOnce = 50;

interface ImportParts {
  readonly model: CompiledModel;
  readonly authoriser: Authoriser;
  readonly service: Pick<RecordService, 'createLinked' | 'checkCreateLinked' | 'list'>;
  readonly reader: RecordReader;
}

/** An import whose links have ids. */
interface LinkedImport {
  readonly mode: RecordsToImport['mode'];
  readonly records: readonly LinkedLine[];
}

/** The imports of a record service. */
export function recordImport({ model, authoriser, service, reader }: ImportParts): RecordImport {
  const inTurn = createKeyedTaskQueue<number>();

  const begin = async (name: string, asked: Unread<RecordsToImport>, context: CallContext): Promise<LinkedImport> => {
    const collection = writableCollection(model, name, 'create');
    await authoriser.require(context.caller, name, 'add');
    const { mode, records } = readInput(asked);
    if (mode === 'all') requireUndoable(model, name);
    return { mode, records: await linkByTitle(reader, service.list, collection, records, context) };
  };

  const check = (name: string, { records }: LinkedImport, context: CallContext) =>
    eachOf(records, context.signal, ({ record }) => service.checkCreateLinked(name, record, context));

  /** What the database would refuse is looked for as well. */
  const foresee = async (name: string, { records }: LinkedImport, context: CallContext): Promise<ImportOutcome> => {
    const stored = reader.engine.collectionNamed(name);
    const isAsSent = isWrittenAsSent(stored);
    const missing = new Set<string>();
    const right: CheckedLine[] = [];
    const { done, refused } = await eachOf(records, context.signal, async ({ line, record }) => {
      const found = await service.checkCreateLinked(name, record, context);
      for (const field of found.missing) missing.add(field);
      const [first, ...others] = isAsSent ? found.missing.map(demanded) : [];
      if (first) throw togetherInOne([first, ...others]);
      right.push({ line, attributes: original(reader, collectionNamed(model, name), found.attributes) });
    });
    const foreseen = isAsSent ? await foreseeImport(reader, stored, right, context) : [];
    const all = [...refused, ...foreseen].toSorted((one, other) => (one.line ?? 0) - (other.line ?? 0));
    return { created: done - foreseen.length, refused: all, missing: [...missing] };
  };

  /** Creates one record, and takes note of its id. */
  const writer = (name: string, ids: string[]) => async (record: LinkedLine['record'], context: CallContext) => {
    const { record: written } = await service.createLinked(name, record, context);
    takeId(ids, collectionNamed(model, name), written);
  };

  const writeEach = async (name: string, { records }: LinkedImport, context: CallContext) =>
    notingAll(context, async (noting) => {
      const ids: string[] = [];
      const write = writer(name, ids);
      const writeOne = ({ record }: LinkedLine) => write(record, noting);
      const { done, refused, isTimeUp } = await eachOf(records, context.signal, writeOne, halfTime(context));
      return { created: done, ids, refused, isTimeUp, missing: [] };
    });

  const writeAll = async (name: string, asked: LinkedImport, context: CallContext): Promise<ImportOutcome> => {
    const { refused } = await check(name, asked, context);
    if (refused.length > 0) return { created: 0, refused, missing: [] };
    let line: number | undefined;
    const ids: string[] = [];
    const write = writer(name, ids);
    try {
      await notingAll(context, (noting) =>
        inUnitOfCall(noting, async (inside) => {
          // A database may have the transaction run again.
          ids.length = 0;
          for (const [index, filed] of asked.records.entries()) {
            if (index % atOnce === 0) await othersTurn();
            line = filed.line;
            await write(filed.record, inside);
          }
          line = undefined;
        }),
      );
    } catch (error) {
      // A commit may be refused as well, and then no record is to blame.
      const told = line === undefined ? publishedRefusal(model, name, error) : error;
      return { created: 0, refused: [{ line: isOfSurroundings(error) ? undefined : line, error: told }], missing: [] };
    }
    return { created: asked.records.length, ids, refused: [], missing: [] };
  };

  return {
    importRecords: async (name, asked, context) => {
      const read = await begin(name, asked, context);
      const write = read.mode === 'all' ? writeAll : writeEach;
      return inTurn(context.caller.id, () => write(name, read, context));
    },
    checkImport: async (name, asked, context) => {
      const read = await begin(name, asked, context);
      return inTurn(context.caller.id, () => foresee(name, read, context));
    },
  };
}

/** The code of a project may create a record without a key, which has no id. */
function takeId(ids: string[], collection: CompiledCollection, record: RecordData): void {
  if (ids.length < mostNamed && hasKey(collection, record)) ids.push(packId(collection, record));
}

function demanded(field: string): CloudError {
  return invalidAttribute(field, 'needs a value, because the database demands one');
}

/** When half of the time that is left is up. Whoever gets no answer would not know which records are there. */
function halfTime({ endsAt = Number.POSITIVE_INFINITY }: CallContext): number {
  const now = performance.now();
  return now + (endsAt - now) / 2;
}

/** Work on each record by itself. What is not a fault of a record ends the work, and so does `until`, as `performance.now()` tells it. */
async function eachOf(
  records: LinkedImport['records'],
  signal: AbortSignal | undefined,
  work: (record: LinkedLine) => Promise<unknown>,
  until = Number.POSITIVE_INFINITY,
): Promise<{ readonly done: number; readonly refused: readonly RefusedRecord[]; readonly isTimeUp: boolean }> {
  const refused: RefusedRecord[] = [];
  let done = 0;
  for (const [index, record] of records.entries()) {
    if (index % atOnce === 0) await othersTurn();
    if (signal?.aborted) break;
    if (index > 0 && performance.now() > until) return { done, refused, isTimeUp: true };
    try {
      await work(record);
      done++;
    } catch (error) {
      refused.push({ line: record.line, error });
      if (isOfSurroundings(error)) break;
    }
  }
  return { done, refused, isTimeUp: false };
}

/** The next record would meet with the same. */
function isOfSurroundings(error: unknown): boolean {
  return isCloudError(error) && (error.kind === 'environment' || error.kind === 'platform');
}

/** The notes of many writes as those of one. */
async function notingAll<Result>(
  context: CallContext,
  work: (noting: CallContext) => Promise<Result>,
): Promise<Result> {
  const { notes } = context;
  if (!notes) return work(context);
  const ids: string[] = [];
  const fields = new Set<string>();
  const values: (() => void)[] = [];
  const result = await work({
    ...context,
    notes: {
      records: (more) => ids.push(...more),
      fields: (names) => {
        for (const name of names) fields.add(name);
      },
      values: {
        kept: (record) => values.push(() => notes.values.kept(record)),
        notKept: (reason) => values.push(() => notes.values.notKept(reason)),
      },
    },
  });
  notes.records?.(ids);
  for (const note of values) note();
  if (ids.length > 0) notes.fields([...fields]);
  return result;
}

/** Throws `REQUEST_UNPROCESSABLE` where what was written cannot be taken back. */
function requireUndoable({ original }: CompiledModel, name: string): void {
  const stored = original.collections.get(name);
  if (stored?.native.hasNoTransactions) throw notUndoable(stored, 'its database keeps no transactions for it');
  if (stored?.overrides.create) throw notUndoable(stored, 'code of the agent creates its records');
}

function notUndoable({ name }: CompiledCollection, why: string): CloudError {
  return unprocessableRequest(
    `Records of "${name}" cannot be imported all or none: ${why}.`,
    'Import with "mode": "parts". What is written stays then, also when other records are refused.',
  );
}
