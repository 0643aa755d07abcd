import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { ClientRights } from '#contracts/client-rights';
import {
  type KeptMcpState,
  keptMcpStateSchema,
  type McpState,
  type McpStateKey,
  type McpStateKind,
  maxMcpStateBytes,
  mcpStateKeySchema,
  mcpStateSchema,
} from '#contracts/mcp-authorization';
import { grantRightsSchema } from '#contracts/mcp-clients';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Guards } from '../access/guards.ts';
import { type AdminLog, authorOf, thePlatform } from '../audit/admin-log.ts';
import { endMcpGrant, logGrant } from '../mcp-grants/ended-grants.ts';
import { findGrants } from '../mcp-grants/find-grants.ts';
import { forgetEndedGrantRights, setGrantRights } from '../mcp-grants/grant-rights.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** What the authorization servers of agents keep, by environment. */
export interface McpStateRepository {
  /** Rejects with `REQUEST_RATE_LIMITED` where the environment has too many of the kind. */
  save(environmentId: number, key: McpStateKey, state: McpState): Promise<void>;
  find(environmentId: number, key: McpStateKey): Promise<KeptMcpState | undefined>;
  /** The same, marked as used. Of several uses at once, one alone is the first. */
  use(environmentId: number, key: McpStateKey): Promise<KeptMcpState | undefined>;
  /** Keep what a person has chosen when they let a client in. Rejects with `REQUEST_NOT_FOUND`. */
  setRights(environmentId: number, grantId: string, rights: ClientRights): Promise<void>;
  /** The end of a grant is the end of all that came of it. */
  remove(environmentId: number, key: McpStateKey): Promise<void>;
}

/** Anybody can register a client and begin to sign in. What comes of a grant is bound by the people of the project. */
const most: Readonly<Partial<Record<McpStateKind, number>>> = { Client: 1_000, Interaction: 10_000 };

export function createMcpStateRepository(store: Store, clock: Clock, adminLog: AdminLog): McpStateRepository {
  return {
    save: (environmentId, key, state) =>
      store.transaction(async (transaction) => {
        const { db, lock } = transaction;
        const limit = most[key.kind];
        if (limit !== undefined) await lock(`MCP state ${key.kind} of environment ${environmentId}`);
        const now = clock.now();
        await db.deleteFrom('mcpState').where('expiresAt', '<=', now).execute();
        if (limit !== undefined) await makeRoom(db, environmentId, key, limit);
        await save(db, environmentId, key, state, now);
        if (key.kind !== 'Grant') return;
        await forgetEndedGrantRights(db, environmentId);
        const [grant] = await findGrants(db, { environmentId, id: key.id }, now);
        if (grant) logGrant(transaction, adminLog, 'add', grant, authorOf(grant.user, undefined));
      }),
    find: (environmentId, key) => find(store.db, environmentId, key, clock.now()),
    use: (environmentId, key) =>
      store.transaction(async ({ db }) => {
        const now = clock.now();
        const first = await db
          .updateTable('mcpState')
          .set({ usedAt: now })
          .where((the) => the.and({ environmentId, ...key, usedAt: null }))
          .where('expiresAt', '>', now)
          .returning('payload')
          .executeTakeFirst();
        return first ? { payload: JSON.parse(first.payload) } : find(db, environmentId, key, now);
      }),
    setRights: (environmentId, id, rights) =>
      store.transaction(async (transaction) => {
        const [grant] = await findGrants(transaction.db, { environmentId, id }, clock.now());
        if (!grant) throw absence();
        const author = authorOf(grant.user, undefined);
        await setGrantRights(transaction, grant, { countsAs: grant.countsAs, rights }, { adminLog, author });
      }),
    remove: (environmentId, key) =>
      store.transaction(async (transaction) => {
        if (key.kind === 'Grant')
          await endMcpGrant(transaction, environmentId, key.id, { adminLog, author: thePlatform, clock });
        else
          await transaction.db
            .deleteFrom('mcpState')
            .where((the) => the.and({ environmentId, ...key }))
            .execute();
      }),
  };
}

/** A client that nobody has let in gives way to a new one, the oldest first. */
async function makeRoom(db: Kysely<Tables>, environmentId: number, { kind, id }: McpStateKey, limit: number) {
  const all = db.selectFrom('mcpState').where((the) => the.and({ environmentId, kind }));
  const { count } = await all
    .where('id', '!=', id)
    .select((the) => the.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  if (count < limit) return;
  const idle =
    kind === 'Client'
      ? await all
          .select('id')
          .where('id', 'not in', (grants) =>
            grants
              .selectFrom('mcpState')
              .select('clientId')
              .where((the) => the.and({ environmentId, kind: 'Grant' }))
              .$narrowType<{ clientId: string }>(),
          )
          .orderBy('createdAt')
          .limit(1)
          .executeTakeFirst()
      : undefined;
  if (!idle) throw tooMany(kind);
  await db
    .deleteFrom('mcpState')
    .where((the) => the.and({ environmentId, kind, id: idle.id }))
    .execute();
}

async function save(db: Kysely<Tables>, environmentId: number, key: McpStateKey, state: McpState, now: number) {
  const { personId = null, clientId = null, grantId = null } = state;
  const expiresAt = now + state.expiresInSeconds * 1000;
  const content = { personId, clientId, grantId, payload: JSON.stringify(state.payload), expiresAt };
  await db
    .insertInto('mcpState')
    .values({ environmentId, ...key, ...content, createdAt: now })
    .onConflict((same) => same.columns(['environmentId', 'kind', 'id']).doUpdateSet(content))
    .execute();
  if (clientId === null) return;
  // A client lasts as long as what it was given.
  await db
    .updateTable('mcpState')
    .set({ expiresAt })
    .where((the) => the.and({ environmentId, kind: 'Client', id: clientId }))
    .where('expiresAt', '<', expiresAt)
    .execute();
}

async function find(
  db: Kysely<Tables>,
  environmentId: number,
  key: McpStateKey,
  now: number,
): Promise<KeptMcpState | undefined> {
  const row = await db
    .selectFrom('mcpState')
    .select(['payload', 'usedAt'])
    .where((the) => the.and({ environmentId, ...key }))
    .where('expiresAt', '>', now)
    .executeTakeFirst();
  if (!row) return undefined;
  const payload = JSON.parse(row.payload);
  return row.usedAt === null ? { payload } : { payload, usedMsAgo: Math.max(0, now - row.usedAt) };
}

function tooMany(kind: McpStateKind): CloudError {
  return cloudError(
    'REQUEST_RATE_LIMITED',
    `The environment has too many entries of the kind ${kind}.`,
    'Revoke MCP clients that nobody uses, or wait until sign-ins that are under way have ended.',
  );
}

const path = '/agent/v1/mcp/state/:kind/:id';
const grantPath = mcpStateKeySchema.pick({ id: true });

/** Keeps the state of the authorization servers of agents: `#contracts/mcp-authorization`. */
export function registerMcpStateRoutes(server: FastifyInstance, guards: Guards, states: McpStateRepository): void {
  const { check: onRequest, of: environmentOf } = guards.environment;
  server.put(path, { onRequest, bodyLimit: maxMcpStateBytes }, async (request, reply) => {
    const key = parseInput(mcpStateKeySchema, request.params);
    await states.save(environmentOf(request).id, key, parseInput(mcpStateSchema, request.body));
    return reply.code(204).send();
  });
  server.get(path, { onRequest }, async (request) => {
    const key = parseInput(mcpStateKeySchema, request.params);
    return keptMcpStateSchema.parse((await states.find(environmentOf(request).id, key)) ?? absent());
  });
  server.post(`${path}/uses`, { onRequest }, async (request) => {
    const key = parseInput(mcpStateKeySchema, request.params);
    return keptMcpStateSchema.parse((await states.use(environmentOf(request).id, key)) ?? absent());
  });
  server.put('/agent/v1/mcp/grants/:id/rights', { onRequest }, async (request, reply) => {
    const { id } = parseInput(grantPath, request.params);
    await states.setRights(environmentOf(request).id, id, parseInput(grantRightsSchema, request.body).rights);
    return reply.code(204).send();
  });
  server.delete(path, { onRequest }, async (request, reply) => {
    await states.remove(environmentOf(request).id, parseInput(mcpStateKeySchema, request.params));
    return reply.code(204).send();
  });
}

function absent(): never {
  throw absence();
}

function absence(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'The environment has no such entry, or it has expired.',
    'Let the person sign in again.',
  );
}
