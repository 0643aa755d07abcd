import type { FastifyInstance } from 'fastify';
import {
  approvalMailsPreference,
  changePreferencesSchema,
  mostPreferenceBytes,
  type Preferences,
} from '#contracts/preferences';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store, StoreTransaction } from '../store/store.ts';

type Document = Preferences['preferences'];

/** The routes of `#contracts/preferences` for what somebody keeps for themselves. */
export function registerPreferenceRoutes(server: FastifyInstance, guards: Guards, store: Store): void {
  const onRequest = guards.user.check;
  server.get('/api/me/preferences', { onRequest }, async (request): Promise<Preferences> => {
    const { user, environment } = guards.user.of(request);
    return find(store.db, user.id, environment.projectId);
  });
  server.patch('/api/me/preferences', { onRequest }, async (request): Promise<Preferences> => {
    const { user, environment } = guards.user.of(request);
    const { base, preferences: change } = parseInput(changePreferencesSchema, request.body ?? {});
    const { projectId } = environment;
    return store.transaction(async ({ db, lock }) => {
      await lock(`preferences ${user.id} ${projectId}`);
      const before = await find(db, user.id, projectId);
      if (base !== undefined && base !== before.revision) throw conflict(before.revision);
      const preferences = merged(before.preferences, change);
      const row = { revision: before.revision + 1, document: boundedJson(preferences) };
      await db
        .insertInto('preferences')
        .values({ userId: user.id, projectId, ...row })
        .onConflict((same) => same.columns(['userId', 'projectId']).doUpdateSet(row))
        .execute();
      return { revision: row.revision, preferences };
    });
  });
}

/** Whether somebody gets mails about requests for approvals: they do until they say no. */
export async function wantsApprovalMails(
  db: StoreTransaction['db'],
  userId: number,
  projectId: number,
): Promise<boolean> {
  const { preferences } = await find(db, userId, projectId);
  return preferences[approvalMailsPreference] !== false;
}

async function find(db: StoreTransaction['db'], userId: number, projectId: number): Promise<Preferences> {
  const row = await db
    .selectFrom('preferences')
    .select(['revision', 'document'])
    .where((the) => the.and({ userId, projectId }))
    .executeTakeFirst();
  return { revision: row?.revision ?? 0, preferences: row ? (JSON.parse(row.document) as Document) : {} };
}

/** Names are those of collections as well, so that none has a meaning of its own. */
function merged(before: Document, change: Document): Document {
  const members = new Map([...Object.entries(before), ...Object.entries(change)]);
  return Object.fromEntries([...members].filter(([, value]) => value !== null));
}

/** The JSON of a document. Throws `REQUEST_TOO_LARGE`. */
export function boundedJson(document: Document): string {
  const json = JSON.stringify(document);
  if (Buffer.byteLength(json) <= mostPreferenceBytes) return json;
  throw cloudError(
    'REQUEST_TOO_LARGE',
    `It would be more than ${mostPreferenceBytes / 1024} kB.`,
    'Remove what is not needed any more.',
  );
}

export function conflict(revision: number): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `Somebody, or another page of yours, has changed it meanwhile: its revision is ${revision}.`,
    'Read it again, and send the change on that revision.',
  );
}
