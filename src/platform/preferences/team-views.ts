import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import {
  changeTeamViewSchema,
  createTeamViewSchema,
  mostTeamViews,
  type TeamView,
  teamViewQuerySchema,
} from '#contracts/preferences';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { fullNameOf } from '#kernel/text/full-name';
import { deedsOf } from '../access/authorise.ts';
import { type Guards, impersonableRoute, type SignedInUser } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { boundedJson, conflict } from './preferences.ts';

const viewPath = z.object({ id: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) });

/** The routes of `#contracts/preferences` for views. Everybody sees those of their own teams, and no other. A new one is for the first of them. */
export function registerTeamViewRoutes(server: FastifyInstance, guards: Guards, store: Store, clock: Clock): void {
  const onRequest = guards.user.check;
  server.get(
    '/api/views',
    { onRequest, config: impersonableRoute },
    async (request): Promise<{ views: readonly TeamView[] }> => {
      const by = guards.user.of(request);
      const { collection } = parseInput(teamViewQuerySchema, request.query);
      let rows = viewRows(store.db, by).orderBy('teamViews.id');
      if (collection !== undefined) rows = rows.where('collection', '=', collection);
      return { views: (await rows.execute()).map((row) => viewOf(row, by)) };
    },
  );
  server.post('/api/views', { onRequest }, async (request, reply): Promise<TeamView> => {
    const by = guards.user.of(request);
    const { name, collection, document } = parseInput(createTeamViewSchema, request.body ?? {});
    const { projectId } = by.environment;
    const { id: ownerId, team } = by.user;
    const content = { name, collection, document: boundedJson(document), changedAt: clock.now() };
    reply.code(201);
    return store.transaction(async ({ db, lock }) => {
      await lock(`views ${projectId} ${team}`);
      if ((await viewRows(db, by).execute()).length >= mostTeamViews) throw tooMany(team);
      const { id } = await db
        .insertInto('teamViews')
        .values({ projectId, team, ownerId, revision: 1, ...content })
        .returning('id')
        .executeTakeFirstOrThrow();
      return findView(db, by, id);
    });
  });
  server.put('/api/views/:id', { onRequest }, async (request): Promise<TeamView> => {
    const by = guards.user.of(request);
    const { id } = parseInput(viewPath, request.params);
    const { base, name, collection, document } = parseInput(changeTeamViewSchema, request.body ?? {});
    const content = { name, collection, document: boundedJson(document), changedAt: clock.now() };
    return store.transaction(async ({ db, lock }) => {
      await lock(`views ${by.environment.projectId} ${by.user.team}`);
      const { revision } = await findOwn(db, by, id);
      if (revision !== base) throw conflict(revision);
      await db
        .updateTable('teamViews')
        .set({ revision: revision + 1, ...content })
        .where('id', '=', id)
        .execute();
      return findView(db, by, id);
    });
  });
  server.delete('/api/views/:id', { onRequest }, async (request, reply) => {
    const by = guards.user.of(request);
    const { id } = parseInput(viewPath, request.params);
    await store.transaction(async ({ db }) => {
      await findOwn(db, by, id);
      await db.deleteFrom('teamViews').where('id', '=', id).execute();
    });
    return reply.code(204).send();
  });
}

function viewRows(db: StoreTransaction['db'], { user, environment }: SignedInUser) {
  return db
    .selectFrom('teamViews')
    .innerJoin('users', 'users.id', 'teamViews.ownerId')
    .select(['teamViews.id', 'revision', 'name', 'collection', 'document', 'ownerId'])
    .select(['users.firstName', 'users.lastName'])
    .where('teamViews.projectId', '=', environment.projectId)
    .where((the) => the.or([the('team', '=', user.team), the('team', 'in', furtherTeams(db, environment, user.id))]));
}

function furtherTeams(db: StoreTransaction['db'], { projectId }: SignedInUser['environment'], userId: number) {
  return db
    .selectFrom('memberships')
    .select('memberships.name')
    .where((the) => the.and({ projectId, userId, kind: 'team' }));
}

type ViewRow = Awaited<ReturnType<ReturnType<typeof viewRows>['executeTakeFirstOrThrow']>>;

function viewOf({ ownerId, firstName, lastName, document, ...row }: ViewRow, by: SignedInUser): TeamView {
  return {
    ...row,
    document: JSON.parse(document) as TeamView['document'],
    owner: { id: ownerId, name: fullNameOf({ firstName, lastName }) },
    isMine: ownerId === by.user.id || deedsOf(by.user).includes('manage people'),
  };
}

/** A view of one's own teams. Rejects with `REQUEST_NOT_FOUND`. */
async function findView(db: StoreTransaction['db'], by: SignedInUser, id: number): Promise<TeamView> {
  const row = await viewRows(db, by).where('teamViews.id', '=', id).executeTakeFirst();
  if (row) return viewOf(row, by);
  throw cloudError('REQUEST_NOT_FOUND', 'Your team has no such view.', 'List those it has: GET /api/views');
}

/** One that the person may change. Rejects with `REQUEST_FORBIDDEN` for the view of somebody else. */
async function findOwn(db: StoreTransaction['db'], by: SignedInUser, id: number): Promise<TeamView> {
  const view = await findView(db, by, id);
  if (view.isMine) return view;
  throw cloudError('REQUEST_FORBIDDEN', `The view is one of ${view.owner.name}.`, 'Make one of your own of it.');
}

function tooMany(team: string): CloudError {
  return cloudError('REQUEST_CONFLICT', `The team "${team}" has ${mostTeamViews} views.`, 'Remove one first.');
}
