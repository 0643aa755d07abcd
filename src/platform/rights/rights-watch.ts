import type { FastifyInstance } from 'fastify';
import type { PermissionFile } from '#contracts/permission-file';
import { checkPermissions, placeInWords } from '#contracts/permission-problems';
import { type RightsWatch, watchRightsSchema } from '#contracts/rights';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import { fullNameOf } from '#kernel/text/full-name';
import { authorise } from '../access/authorise.ts';
import type { Guards, SignedInUser } from '../access/guards.ts';
import { type AdminLog, changeLog } from '../audit/admin-log.ts';
import type { SchemaRepository } from '../schemas/schemas.ts';
import { parseInput } from '../server/parse-input.ts';
import type { StoreTransaction } from '../store/store.ts';
import { parseRights } from '../teams/named-in-rights.ts';
import { logWatch } from './log-rights.ts';
import { findNewestRights, type RightsRecord, type RightsRepository } from './rights-repository.ts';
import { maxRightsBytes, validRights } from './rights-service.ts';
import { type RefusalParts, refusedSince } from './would-refuse.ts';

type Db = StoreTransaction['db'];

async function findWatch(db: Db, environmentId: number) {
  const row = await db
    .selectFrom('rightsWatches')
    .innerJoin('users', 'users.id', 'rightsWatches.authorId')
    .select(['document', 'startedAt', 'revision', 'schemaHash', 'firstName', 'lastName', 'email'])
    .where('environmentId', '=', environmentId)
    .executeTakeFirst();
  const document = row && parseRights(row.document);
  return row && document ? { ...row, document } : undefined;
}

export interface WatchParts extends RefusalParts {
  readonly rights: Pick<RightsRepository, 'find' | 'listMemberships'>;
  readonly schemas: Pick<SchemaRepository, 'findDocument' | 'findHash'>;
  readonly clock: Clock;
  readonly adminLog: AdminLog;
}

/** The watch of an environment: a document of rights that what people do is held against, while nobody is refused by it. */
interface WatchService {
  /** Each rejects with `REQUEST_FORBIDDEN`. */
  read(by: SignedInUser): Promise<RightsWatch>;
  /** Rejects with `PERMISSION_FILE_INVALID`. */
  start(by: SignedInUser, document: unknown): Promise<RightsWatch>;
  end(by: SignedInUser): Promise<void>;
}

export function createWatchService(parts: WatchParts): WatchService {
  const { schemas, clock } = parts;
  return {
    read: async (by) => {
      authoriseWatch(by);
      return readWatch(parts, by);
    },
    start: async (by, given) => {
      authoriseWatch(by);
      const { id } = by.environment;
      const document = validRights(given, await schemas.findDocument(id));
      const schemaHash = (await schemas.findHash(id)) ?? null;
      await changeWatch(parts, by, document, async ({ db }, rights) => {
        const row = {
          authorId: by.author.user.id,
          startedAt: clock.now(),
          schemaHash,
          revision: rights?.revision ?? 0,
        };
        const content = { ...row, document: canonicalJson(document) };
        await db
          .insertInto('rightsWatches')
          .values({ environmentId: id, ...content })
          .onConflict((same) => same.column('environmentId').doUpdateSet(content))
          .execute();
      });
      return readWatch(parts, by);
    },
    end: async (by) => {
      authoriseWatch(by);
      await changeWatch(parts, by, undefined, async ({ db }) => {
        await db.deleteFrom('rightsWatches').where('environmentId', '=', by.environment.id).execute();
      });
    },
  };
}

async function readWatch(parts: WatchParts, { environment }: SignedInUser): Promise<RightsWatch> {
  const { store, rights, schemas, clock } = parts;
  const watch = await findWatch(store.db, environment.id);
  if (!watch) return { watch: null };
  const { document, startedAt, revision } = watch;
  const [now, schema, schemaHash, refused] = await Promise.all([
    rights.find(environment.id),
    schemas.findDocument(environment.id),
    schemas.findHash(environment.id),
    refusedSince(parts, environment, document, Math.max(startedAt, clock.now() - longestMs)),
  ]);
  return {
    watch: {
      document,
      startedAt: new Date(startedAt).toISOString(),
      startedBy: { name: fullNameOf(watch), email: watch.email },
      revision: { atStart: revision, now: now?.revision ?? 0 },
      isSchemaChanged: (schemaHash ?? null) !== watch.schemaHash,
      problems: problemsOf(document, schema),
      refused,
    },
  };
}

/** Replace the watch, and say so in the log of the project. Ending none says nothing. */
function changeWatch(
  { store, adminLog }: WatchParts,
  { environment, author }: SignedInUser,
  after: PermissionFile | undefined,
  write: (transaction: StoreTransaction, rights: RightsRecord | undefined) => Promise<void>,
): Promise<void> {
  return store.transaction(async (transaction) => {
    await transaction.lock(`rights of environment ${environment.id}`);
    const before = (await findWatch(transaction.db, environment.id))?.document;
    if (!before && !after) return;
    const current = await findNewestRights(transaction.db, environment.id);
    await write(transaction, current);
    const log = changeLog(adminLog, transaction, environment.projectId, author);
    logWatch(log, { environment: environment.name, before, after, rights: current?.document ?? null });
  });
}

/** The log is asked no further back. */
const longestMs = 366 * 24 * 3600 * 1000;

function authoriseWatch(by: SignedInUser): void {
  authorise(by, 'set rights');
  authorise(by, 'read logs');
}

/** What the schema of the environment does not have any more. */
function problemsOf(document: PermissionFile, schema: Awaited<ReturnType<SchemaRepository['findDocument']>>): string[] {
  const checked = checkPermissions(document, schema?.collections, schema?.meta.masks);
  return 'problems' in checked
    ? checked.problems.map(({ place, message }) => `${placeInWords(place)}: ${message}`)
    : [];
}

/** `/api/rights/watch` of `#contracts/rights`, for who may set rights and read logs. */
export function registerWatchRoutes(server: FastifyInstance, guards: Guards, watches: WatchService): void {
  const onRequest = guards.user.check;
  server.get('/api/rights/watch', { onRequest }, async (request) => watches.read(guards.user.of(request)));
  server.put('/api/rights/watch', { onRequest, bodyLimit: maxRightsBytes }, async (request) =>
    watches.start(guards.user.of(request), parseInput(watchRightsSchema, request.body).document),
  );
  server.delete('/api/rights/watch', { onRequest }, async (request, reply) => {
    await watches.end(guards.user.of(request));
    return reply.code(204).send();
  });
}
