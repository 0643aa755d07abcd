import type { Kysely } from 'kysely';
import { type ClientRights, clientRightsSchema } from '#contracts/client-rights';
import type { AdminLog, Author } from '../audit/admin-log.ts';
import { announceEvent } from '../events/announce-event.ts';
import type { StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { type GrantRecord, grantValue } from './find-grants.ts';

/** What was set for one grant. */
export interface GrantRights {
  /** The client of the rights of the environment that it counts as; `null` where its id says that. */
  readonly countsAs: string | null;
  /** What it may do at most, whatever the rights of the environment say; `null` for no more than those say. */
  readonly rights: ClientRights | null;
}

/** What was set for the grants of an environment, by grant. */
export async function listGrantRights(
  db: Kysely<Tables>,
  environmentId: number,
): Promise<readonly (GrantRights & { readonly id: string })[]> {
  const rows = await db
    .selectFrom('mcpGrantRights')
    .select(['grantId', 'countsAs', 'rights'])
    .where('environmentId', '=', environmentId)
    .orderBy('grantId')
    .execute();
  return rows.map(({ grantId, countsAs, rights }) => ({ id: grantId, countsAs, rights: parsed(rights) }));
}

/** Set what a grant may do. The agents learn about it, and its tokens that are out are held to it. */
export async function setGrantRights(
  transaction: StoreTransaction,
  grant: GrantRecord,
  { countsAs, rights }: GrantRights,
  { adminLog, author }: { readonly adminLog: AdminLog; readonly author: Author },
): Promise<void> {
  const { db } = transaction;
  const { id: environmentId, name, projectId } = grant.environment;
  const content = { countsAs, rights: rights && JSON.stringify(rights) };
  await db
    .insertInto('mcpGrantRights')
    .values({ environmentId, grantId: grant.id, ...content })
    .onConflict((same) => same.columns(['environmentId', 'grantId']).doUpdateSet(content))
    .execute();
  adminLog(transaction, {
    projectId,
    author,
    type: 'update',
    resource: 'mcp-client',
    environment: name,
    previousValue: grantValue(grant),
    newValue: grantValue({ ...grant, countsAs, rights }),
  });
  announceEvent(transaction, environmentId, { name: 'refresh-roles' });
}

/** Forget what was set for grants that are no more. */
export async function forgetEndedGrantRights(db: Kysely<Tables>, environmentId: number): Promise<void> {
  await db
    .deleteFrom('mcpGrantRights')
    .where('environmentId', '=', environmentId)
    .where('grantId', 'not in', (grants) =>
      grants.selectFrom('mcpState').select('id').where('environmentId', '=', environmentId).where('kind', '=', 'Grant'),
    )
    .execute();
}

function parsed(rights: string | null): ClientRights | null {
  return rights === null ? null : clientRightsSchema.parse(JSON.parse(rights));
}
