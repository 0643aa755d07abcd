import type { Kysely } from 'kysely';
import { type Beat, hostGoneMs } from '#contracts/hosting';
import type { Clock } from '#kernel/ports/clock';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

export type HostRecord = Tables['hosts'];
type HostLineRecord = Tables['hostLines'];

/** Lines kept for each environment; older ones go. */
const maxLines = 10_000;
/** A host that was silent for so long is forgotten when another one comes. */
const forgetMs = 24 * 60 * 60 * 1000;

/** The hosts of environments, and what they say. */
export interface HostRepository {
  /** Note a beat, and keep its lines. Resolves to whether it says something else than the beat before. */
  noteBeat(environmentId: number, beat: Beat): Promise<boolean>;
  leave(environmentId: number, id: string): Promise<void>;
  list(environmentId: number): Promise<readonly HostRecord[]>;
  /** Newest first, sequences below `before`. */
  listLines(
    environmentId: number,
    filter: { readonly limit: number; readonly before?: number; readonly level?: string; readonly host?: string },
  ): Promise<readonly HostLineRecord[]>;
}

export function createHostRepository(store: Store, clock: Clock): HostRepository {
  return {
    noteBeat: (environmentId, { host: id, log, refused, ...beat }) =>
      store.transaction(async ({ db, lock }) => {
        if (log.length > 0) await lock(`lines of environment ${environmentId}`);
        const said = {
          ...beat,
          refused: refused?.deployment ?? null,
          refusedReason: refused?.reason ?? null,
        };
        const before = await db
          .selectFrom('hosts')
          .selectAll()
          .where((the) => the.and({ environmentId, id }))
          .executeTakeFirst();
        const row = { ...said, seenAt: clock.now() };
        await db
          .insertInto('hosts')
          .values({ environmentId, id, ...row })
          .onConflict((same) => same.columns(['environmentId', 'id']).doUpdateSet(row))
          .execute();
        await addLines(db, environmentId, beat.name, log);
        if (!before) await forgetSilentHosts(db, environmentId, clock.now());
        const isNew = !before || !isConnected(before, clock.now());
        return isNew || !isSame(before, said);
      }),
    leave: (environmentId, id) =>
      store.transaction(async ({ db }) => {
        await db
          .deleteFrom('hosts')
          .where((the) => the.and({ environmentId, id }))
          .execute();
      }),
    list: (environmentId) =>
      store.db
        .selectFrom('hosts')
        .selectAll()
        .where('environmentId', '=', environmentId)
        .orderBy('name')
        .orderBy('id')
        .execute(),
    listLines: (environmentId, { limit, before, level, host }) => {
      let query = store.db.selectFrom('hostLines').selectAll().where('environmentId', '=', environmentId);
      if (before !== undefined) query = query.where('sequence', '<', before);
      if (level !== undefined) query = query.where('level', '=', level as HostLineRecord['level']);
      if (host !== undefined) query = query.where('host', '=', host);
      return query.orderBy('sequence', 'desc').limit(limit).execute();
    },
  };
}

/** Whether a host counts as connected. */
export function isConnected({ seenAt }: Pick<HostRecord, 'seenAt'>, now: number): boolean {
  return seenAt > now - hostGoneMs;
}

type Said = Pick<HostRecord, 'serving' | 'checked' | 'refused' | 'refusedReason'>;

function isSame(before: Said, now: Said): boolean {
  const { serving, checked, refused, refusedReason } = now;
  return (
    before.serving === serving &&
    before.checked === checked &&
    before.refused === refused &&
    before.refusedReason === refusedReason
  );
}

async function forgetSilentHosts(db: Kysely<Tables>, environmentId: number, now: number): Promise<void> {
  await db
    .deleteFrom('hosts')
    .where('environmentId', '=', environmentId)
    .where('seenAt', '<=', now - forgetMs)
    .execute();
}

async function addLines(db: Kysely<Tables>, environmentId: number, host: string, log: Beat['log']): Promise<void> {
  if (log.length === 0) return;
  const { newest } = await db
    .selectFrom('hostLines')
    .select(({ fn }) => fn.max('sequence').as('newest'))
    .where('environmentId', '=', environmentId)
    .executeTakeFirstOrThrow();
  const first = (newest ?? 0) + 1;
  const rows = log.map(({ at, level, text }, index) => ({
    environmentId,
    sequence: first + index,
    host,
    at: Date.parse(at),
    level,
    text,
  }));
  await db.insertInto('hostLines').values(rows).execute();
  await db
    .deleteFrom('hostLines')
    .where('environmentId', '=', environmentId)
    .where('sequence', '<=', first + rows.length - 1 - maxLines)
    .execute();
}
