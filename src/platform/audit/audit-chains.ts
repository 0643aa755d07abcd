import { type Genesis, genesisHash } from '#contracts/audit/chain';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Random } from '#kernel/ports/random';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { registerChain } from './register.ts';

/** Which chain: that of an environment, or the one for the configuration of a project. */
export type ChainOwner =
  | { readonly kind: 'activity'; readonly environmentId: number }
  | { readonly kind: 'admin'; readonly projectId: number };

export type ChainRecord = Readonly<
  Omit<Tables['auditChains'], 'id'> & {
    readonly id: number;
  }
>;

type Db = Store['db'];

export function ownerOf({ environmentId, projectId }: ChainRecord): ChainOwner {
  return environmentId === null ? { kind: 'admin', projectId } : { kind: 'activity', environmentId };
}

/** `undefined` before its first row. */
export function findChain(db: Db, owner: ChainOwner): Promise<ChainRecord | undefined> {
  const chains = db.selectFrom('auditChains').selectAll();
  return owner.kind === 'activity'
    ? chains.where('environmentId', '=', owner.environmentId).executeTakeFirst()
    : chains.where('environmentId', 'is', null).where('projectId', '=', owner.projectId).executeTakeFirst();
}

/** The chain, made where it is missing, and held until the transaction ends: its rows have no gaps. */
export async function lockChain(
  transaction: StoreTransaction,
  owner: ChainOwner,
  random: Random,
  now: number,
): Promise<ChainRecord> {
  const { db, lock } = transaction;
  await lock(
    owner.kind === 'activity' ? `audit of environment ${owner.environmentId}` : `audit of project ${owner.projectId}`,
  );
  const found = await findChain(db, owner);
  if (found) return found;
  const named = await namesOf(db, owner);
  const genesis: Genesis = {
    object: 'genesis',
    chain: random.uuid(),
    kind: owner.kind,
    project: named.project,
    environment: named.environment,
    createdAt: new Date(now).toISOString(),
  };
  const made = await db
    .insertInto('auditChains')
    .values({
      chain: genesis.chain,
      kind: owner.kind,
      projectId: named.projectId,
      environmentId: owner.kind === 'activity' ? owner.environmentId : null,
      genesis: canonicalJson(genesis),
      firstSequence: 1,
      headSequence: 0,
      headHash: genesisHash(genesis),
      headCreatedAt: 0,
      headMonth: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await registerChain(transaction, { ...made, ...named }, { clock: { now: () => now }, random });
  return made;
}

function namesOf(db: Db, owner: ChainOwner) {
  if (owner.kind === 'admin') {
    return db
      .selectFrom('projects')
      .select((the) => ['id as projectId', 'name as project', the.val<string | null>(null).as('environment')])
      .where('id', '=', owner.projectId)
      .executeTakeFirstOrThrow();
  }
  return db
    .selectFrom('environments')
    .innerJoin('projects', 'projects.id', 'environments.projectId')
    .select(['projects.id as projectId', 'projects.name as project', 'environments.name as environment'])
    .where('environments.id', '=', owner.environmentId)
    .executeTakeFirstOrThrow();
}
