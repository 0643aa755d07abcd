import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { firstTeam } from '#contracts/permission-file';
import {
  type CreateScimToken,
  createScimTokenSchema,
  type NewScimToken,
  type ScimToken,
  scimPath,
} from '#contracts/scim-tokens';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { makeApiTokenSecret } from '../api-tokens/api-token-secret.ts';
import { type AdminLog, changeLog, type PersonAsAuthor } from '../audit/admin-log.ts';
import { requireRole } from '../groups/group-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { requireTeam } from '../teams/teams.ts';

/** What a request of SCIM comes with. */
export interface KnownScimToken {
  readonly id: number;
  readonly projectId: number;
  readonly role: string;
  readonly team: string;
  readonly createdBy: number;
}

/** The tokens with which a company provisions the people of one project. They are kept as SHA-256, and open nothing else. */
export interface ScimTokens {
  list(projectId: number): Promise<readonly ScimToken[]>;
  /** Rejects with `REQUEST_INVALID` for a role or a team that the project does not have, and `REQUEST_CONFLICT` for too many. */
  create(projectId: number, input: CreateScimToken, author: PersonAsAuthor): Promise<ScimToken & { token: string }>;
  /** It stops working at once. Rejects with `REQUEST_NOT_FOUND`. */
  revoke(projectId: number, id: number, author: PersonAsAuthor): Promise<void>;
  /** `undefined` for a secret that is unknown or was revoked. */
  use(secret: string): Promise<KnownScimToken | undefined>;
  /** Keep why a change was refused, for the list. */
  noteRefusal(id: number, reason: string): Promise<void>;
}

export interface ScimTokenParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly adminLog: AdminLog;
}

const hintLength = 4;
const mostActive = 10;
/** How exact the time of the last use is, so that not every request writes. */
const useMs = 60_000;

export function createScimTokens({ store, clock, random, adminLog }: ScimTokenParts): ScimTokens {
  return {
    list: async (projectId) => {
      const rows = await tokens(store.db).where('projectId', '=', projectId).orderBy('id', 'desc').limit(200).execute();
      return rows.map(shown);
    },
    create: (projectId, { name, role, team = firstTeam }, author) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        await lock(`people of project ${projectId}`);
        await requireRole(db, projectId, role);
        await requireTeam(db, projectId, team);
        const { active } = await db
          .selectFrom('scimTokens')
          .select(({ fn }) => fn.countAll<number>().as('active'))
          .where((the) => the.and({ projectId, revokedAt: null }))
          .executeTakeFirstOrThrow();
        if (active >= mostActive) throw tooMany();
        const token = makeApiTokenSecret('scim', random);
        const secret = { secretHash: sha256Hex(token), hint: token.slice(-hintLength) };
        const { id } = await db
          .insertInto('scimTokens')
          .values({ projectId, name, role, team, ...secret, createdBy: author.user.id, createdAt: clock.now() })
          .returning('id')
          .executeTakeFirstOrThrow();
        const made = shown(await tokens(db).where('id', '=', id).executeTakeFirstOrThrow());
        logToken(transaction, adminLog, projectId, author, 'add', made);
        return { ...made, token };
      }),
    revoke: (projectId, id, author) =>
      store.transaction(async (transaction) => {
        const { db } = transaction;
        const found = await tokens(db)
          .where((the) => the.and({ projectId, id }))
          .executeTakeFirst();
        if (!found) throw noSuchToken(id);
        if (found.revokedAt !== null) return;
        await db.updateTable('scimTokens').set({ revokedAt: clock.now() }).where('id', '=', id).execute();
        logToken(transaction, adminLog, projectId, author, 'remove', shown(found));
      }),
    use: async (secret) => {
      const found = await store.db
        .selectFrom('scimTokens')
        .select(['id', 'projectId', 'role', 'team', 'createdBy', 'lastUsedAt'])
        .where((the) => the.and({ secretHash: sha256Hex(secret), revokedAt: null }))
        .executeTakeFirst();
      if (!found) return undefined;
      const { lastUsedAt, ...known } = found;
      if (lastUsedAt === null || clock.now() - lastUsedAt >= useMs) {
        await store.transaction(({ db }) =>
          db.updateTable('scimTokens').set({ lastUsedAt: clock.now() }).where('id', '=', found.id).execute(),
        );
      }
      return known;
    },
    noteRefusal: async (id, reason) => {
      const refusal = { lastRefusal: reason, lastRefusedAt: clock.now() };
      await store.transaction(({ db }) => db.updateTable('scimTokens').set(refusal).where('id', '=', id).execute());
    },
  };
}

function tokens(db: StoreTransaction['db']) {
  return db
    .selectFrom('scimTokens')
    .select(['id', 'name', 'hint', 'role', 'team', 'createdAt', 'lastUsedAt', 'revokedAt'])
    .select(['lastRefusal', 'lastRefusedAt']);
}

type TokenRow = Awaited<ReturnType<ReturnType<typeof tokens>['executeTakeFirstOrThrow']>>;

function shown({ lastRefusal, lastRefusedAt, createdAt, lastUsedAt, revokedAt, ...row }: TokenRow): ScimToken {
  return {
    ...row,
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: isoTime(lastUsedAt),
    revokedAt: isoTime(revokedAt),
    lastRefusal: lastRefusal === null ? null : { reason: lastRefusal, at: new Date(lastRefusedAt ?? 0).toISOString() },
  };
}

function isoTime(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function logToken(
  transaction: StoreTransaction,
  adminLog: AdminLog,
  projectId: number,
  author: PersonAsAuthor,
  type: 'add' | 'remove',
  { id, name, hint, role, team }: ScimToken,
): void {
  const value = { id, name, hint, role, team };
  const values = type === 'add' ? { newValue: value } : { previousValue: value };
  changeLog(adminLog, transaction, projectId, author)({ type, resource: 'scim-token', ...values });
}

const tokenPath = z.object({ id: z.coerce.number().int().positive() });

/** The routes of `#contracts/scim-tokens`, for who may manage people. @param origin of the platform. */
export function registerScimTokenRoutes(
  server: FastifyInstance,
  guards: Guards,
  scimTokens: ScimTokens,
  origin: () => string,
): void {
  const onRequest = guards.user.check;
  server.get('/api/scim-tokens', { onRequest }, async (request) => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    return { tokens: await scimTokens.list(by.environment.projectId) };
  });
  server.post('/api/scim-tokens', { onRequest }, async (request, reply): Promise<NewScimToken> => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    const input = parseInput(createScimTokenSchema, request.body);
    reply.code(201);
    return { ...(await scimTokens.create(by.environment.projectId, input, by.author)), url: `${origin()}${scimPath}` };
  });
  server.delete('/api/scim-tokens/:id', { onRequest }, async (request, reply) => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    await scimTokens.revoke(by.environment.projectId, parseInput(tokenPath, request.params).id, by.author);
    return reply.code(204).send();
  });
}

function noSuchToken(id: number) {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `The project has no SCIM token ${id}.`,
    'List the tokens: vendor-cloud scim list',
  );
}

function tooMany() {
  return cloudError(
    'REQUEST_CONFLICT',
    `The project has ${mostActive} active SCIM tokens, and may not have more.`,
    'Revoke one that nothing uses: vendor-cloud scim list, then vendor-cloud scim revoke <id>',
  );
}
