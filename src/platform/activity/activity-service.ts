import type { FastifyInstance } from 'fastify';
import { type Activity, type ActivityContinuation, activityBatchSchema } from '#contracts/activity';
import { type ActivityEntry, type RecordsEntry, valuesPart } from '#contracts/audit/rows';
import { type ActivityValues, recordHistoryQuerySchema } from '#contracts/history';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import { sha256Hex } from '#node/system/digest';
import type { Guards } from '../access/guards.ts';
import { type ChainWriter, openChain } from '../audit/chain-writer.ts';
import type { PageNewsHub } from '../events/page-news.ts';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { type RecordHistories, sealedRecords } from './kept-records.ts';
import { findKnownActs, type KnownActs } from './known-acts.ts';

type Reported = Activity | ActivityContinuation | ActivityValues;

/** Takes what agents report of what people do into the audit log of their environment. */
export interface ActivityService {
  /** Store what is not stored yet, all of it or nothing. Resolves once it is durable. */
  record(environment: EnvironmentRecord, reported: readonly Reported[]): Promise<void>;
}

export interface ActivityParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Told of the log, and of collections whose records were written. */
  readonly news: Pick<PageNewsHub, 'tell'>;
  /** Encrypts values of records under a key that is not in the store. */
  readonly sealed: SealedTexts;
}

export function createActivityService(store: Store, { clock, random, news, sealed }: ActivityParts): ActivityService {
  return {
    record: async (environment, reported) => {
      const values = await sealedRecords(reported, sealed);
      const written = await store.transaction(async (transaction) => {
        const owner = { kind: 'activity', environmentId: environment.id } as const;
        const writer = await openChain(transaction, owner, { clock, random });
        const ids = [...new Set(reported.map(({ id }) => id))];
        const known = await findKnownActs(transaction, store.engine, writer.chain.id, ids);
        const renderings = await renderingNames(transaction, environment.id);
        for (const each of reported) {
          if ('part' in each) addRecords(writer, known, each);
          else if ('values' in each) addValues(writer, known, each, values.get(each) ?? []);
          else addAct(writer, known, entryOf(each, environment, renderings));
        }
        await writer.write();
        return writtenCollections(reported, known);
      });
      news.tell(environment.id, { type: 'log' });
      for (const collection of written) news.tell(environment.id, { type: 'records', collection });
    },
  };
}

/** The collections of writes that are done. */
function writtenCollections(reported: readonly Reported[], { acts }: KnownActs): ReadonlySet<string> {
  const done = reported.filter((each) => 'type' in each && each.type === 'write' && each.status === 'completed');
  return new Set(done.flatMap(({ id }) => acts.get(id)?.collection ?? []));
}

function addAct(writer: ChainWriter, { acts }: KnownActs, entry: ActivityEntry): void {
  const { id, status, durationMs, collection, recordIds } = entry;
  const known = acts.get(id);
  if (!known) {
    const sequence = writer.add(entry);
    acts.set(id, { sequence, collection: collection?.name ?? null, isOpen: status === 'pending' });
    return;
  }
  if (!known.isOpen || status === 'pending') return;
  writer.add({ object: 'activityLogOutcome', id, actSequence: known.sequence, status, durationMs });
  if (recordIds.length > 0) {
    writer.add({ object: 'activityLogRecords', id, actSequence: known.sequence, part: 0, collection, recordIds });
  }
  known.isOpen = false;
}

function addRecords(
  writer: ChainWriter,
  { acts, parts }: KnownActs,
  { id, part, recordIds }: ActivityContinuation,
): void {
  const row = rowOf(acts, id, part);
  if (parts.has(`${id} ${part}`)) return;
  writer.add({ ...row, recordIds });
  parts.add(`${id} ${part}`);
}

/** The row commits to digests of what stands sealed beside the log. */
function addValues(
  writer: ChainWriter,
  { acts, parts }: KnownActs,
  { id, values }: ActivityValues,
  sealed: readonly string[],
): void {
  const row = rowOf(acts, id, valuesPart);
  if (parts.has(`${id} ${valuesPart}`)) return;
  if ('unkept' in values) writer.add({ ...row, recordIds: [], unkept: values.unkept });
  else {
    const recordIds = values.records.map(({ recordId }) => recordId);
    writer.add({ ...row, recordIds, kept: sealed.map(sha256Hex) }, sealed);
  }
  parts.add(`${id} ${valuesPart}`);
}

/** A later row of an act, without its records. */
function rowOf(acts: KnownActs['acts'], id: string, part: number): Omit<RecordsEntry, 'recordIds'> {
  const act = acts.get(id);
  if (!act) {
    throw cloudError(
      'REQUEST_INVALID',
      `There are more records of the activity ${id}, which was never reported.`,
      'Report the activity before its further records.',
    );
  }
  const collection = act.collection === null ? undefined : ({ object: 'collection', name: act.collection } as const);
  return { object: 'activityLogRecords', id, actSequence: act.sequence, part, collection };
}

/** The renderings of an environment are named after their teams. */
async function renderingNames({ db }: StoreTransaction, environmentId: number): Promise<ReadonlyMap<number, string>> {
  const rows = await db
    .selectFrom('renderings')
    .select(['id', 'team'])
    .where('environmentId', '=', environmentId)
    .execute();
  return new Map(rows.map(({ id, team }) => [id, team]));
}

function entryOf(
  { user, client, collection, renderingId, ...same }: Activity,
  environment: EnvironmentRecord,
  renderings: ReadonlyMap<number, string>,
): ActivityEntry {
  return {
    object: 'activityLog',
    ...same,
    ...(client === undefined ? {} : { client: { object: 'client', ...client } as const }),
    collection: { object: 'collection', name: collection },
    user: { object: 'user', id: user.id, email: user.email, username: user.name },
    team: { object: 'team', name: user.team },
    role: user.role,
    environment: { object: 'environment', name: environment.name },
    rendering: { id: renderingId, name: renderings.get(renderingId) ?? user.team },
  };
}

/** What agents report of what people do, and the history of a record. A batch that is sent again changes nothing. */
export function registerActivityRoutes(
  server: FastifyInstance,
  guards: Guards,
  activities: ActivityService,
  histories: RecordHistories,
): void {
  const onRequest = guards.environment.check;

  server.get('/agent/v1/history', { onRequest }, (request) =>
    histories.of(guards.environment.of(request).id, parseInput(recordHistoryQuerySchema, request.query)),
  );

  server.post('/agent/v1/activities', { onRequest }, async (request, reply) => {
    const batch = parseInput(activityBatchSchema, request.body);
    await activities.record(guards.environment.of(request), batch.activities);
    return reply.code(204).send();
  });
}
