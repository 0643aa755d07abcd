import { sql } from 'kysely';
import type { activityTypes } from '#contracts/activity';
import type { collectionRights } from '#contracts/permission-file';
import { findChain } from '../audit/audit-chains.ts';
import type { Store } from '../store/store.ts';

export type CollectionRight = (typeof collectionRights)[number];

/** What somebody did with a collection, or with one of its actions. */
export interface Use {
  readonly userId: number;
  readonly collection: string;
  readonly action: string;
  /** Name of the action that was run. */
  readonly label: string | null;
  /** Names of the fields that were written. */
  readonly fields: readonly string[];
  /** Id of the program that did it for the person. */
  readonly client: string | null;
  readonly acts: number;
  /** When it was done last, in milliseconds since the epoch. */
  readonly lastAt: number;
}

/** What the people of an environment did since then, as the log tells it. What failed needs no right. */
export async function usesSince({ db, engine }: Store, environmentId: number, since: number): Promise<readonly Use[]> {
  const chain = await findChain(db, { kind: 'activity', environmentId });
  if (!chain) return [];
  const inBody = (name: string) =>
    engine === 'postgres'
      ? sql<string | null>`body::json ->> ${sql.lit(name)}`
      : sql<string | null>`json_extract(body, ${sql.lit(`$.${name}`)})`;
  // Labels of other acts are names of relations.
  const label = sql<string | null>`case when action = 'action' then ${inBody('label')} end`;
  const fields = inBody('fields');
  const rows = await db
    .selectFrom('auditRows')
    .leftJoin('auditOutcomes', (join) =>
      join
        .onRef('auditOutcomes.chainId', '=', 'auditRows.chainId')
        .onRef('auditOutcomes.sequence', '=', 'auditRows.sequence'),
    )
    .where('auditRows.chainId', '=', chain.id)
    .where('auditRows.sequence', '>=', chain.firstSequence)
    .where('auditRows.createdAt', '>=', since)
    .where('auditRows.kind', '=', 'act')
    .where((the) => the(the.fn.coalesce('auditOutcomes.status', 'auditRows.status'), '<>', 'failed'))
    .where('auditRows.collection', 'is not', null)
    .where('auditRows.userId', 'is not', null)
    .select(['auditRows.userId', 'auditRows.collection', 'auditRows.action', 'auditRows.clientId as client'])
    .select([label.as('label'), fields.as('fields')])
    .select((the) => the.fn.countAll<number | string>().as('acts'))
    .select((the) => the.fn.max<number | string>('auditRows.createdAt').as('lastAt'))
    .groupBy(['auditRows.userId', 'auditRows.collection', 'auditRows.action', 'auditRows.clientId', label, fields])
    .execute();
  return rows.map(({ userId, collection, action, label: named, fields: written, client: by, acts, lastAt }) => ({
    userId: userId ?? 0,
    collection: collection ?? '',
    action: action ?? '',
    label: named,
    fields: written === null ? [] : (JSON.parse(written) as readonly string[]),
    client: by,
    acts: Number(acts),
    lastAt: Number(lastAt),
  }));
}

/** When the first act was done that the log of an environment has; `undefined` for none. */
export async function firstActIn({ db }: Store, environmentId: number): Promise<number | undefined> {
  const chain = await findChain(db, { kind: 'activity', environmentId });
  if (!chain) return undefined;
  const row = await db
    .selectFrom('auditRows')
    .select('createdAt')
    .where((the) => the.and({ chainId: chain.id, kind: 'act' }))
    .where('sequence', '>=', chain.firstSequence)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.createdAt);
}

/** The right on a collection that an act needs. */
export const rightNeededFor: Readonly<Partial<Record<string, CollectionRight>>> = {
  index: 'browse',
  search: 'browse',
  filter: 'browse',
  listRelatedData: 'browse',
  describeCollection: 'browse',
  read: 'read',
  export: 'export',
  create: 'add',
  update: 'edit',
  delete: 'delete',
} satisfies Readonly<Partial<Record<keyof typeof activityTypes, CollectionRight>>>;
