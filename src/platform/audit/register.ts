import { type Genesis, genesisHash, leafOf, type RegisterGenesis, rowHashOf } from '#contracts/audit/chain';
import type { ChainEntry, RegisterEntry } from '#contracts/audit/register';
import type { RowPlace } from '#contracts/audit/rows';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

/** How long the register is. */
export interface RegisterHead {
  /** Its id. */
  readonly chain: string;
  readonly headSequence: number;
  readonly headHash: string;
}

interface Parts {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

type Db = Store['db'];

/** `undefined` before the first log of a platform. */
export async function registerHead(db: Db): Promise<RegisterHead | undefined> {
  const rows = db.selectFrom('auditRegister').selectAll();
  const genesis = await rows.where('sequence', '=', 0).executeTakeFirst();
  const last = await rows.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
  if (!genesis || !last) return undefined;
  const { chain } = JSON.parse(genesis.body) as RegisterGenesis;
  return { chain, headSequence: last.sequence, headHash: last.hash };
}

/** More rows are asked for with the next page. */
const leavesPerPage = 5_000;

interface RegisterLeaves {
  readonly genesis: RegisterGenesis;
  /** The hashes of the bodies of rows. */
  readonly leaves: readonly string[];
}

/** Some rows of the register as hashes, which tell nothing of other projects; `undefined` before the first log. */
export async function registerLeaves(db: Db, after: number): Promise<RegisterLeaves | undefined> {
  const rows = db.selectFrom('auditRegister').select('body');
  const genesis = await rows.where('sequence', '=', 0).executeTakeFirst();
  if (!genesis) return undefined;
  const behind = await rows.where('sequence', '>', after).orderBy('sequence').limit(leavesPerPage).execute();
  return { genesis: JSON.parse(genesis.body) as RegisterGenesis, leaves: behind.map(({ body }) => leafOf(body)) };
}

/** Register a log in the transaction that makes it. */
export async function registerChain(transaction: StoreTransaction, chain: Unregistered, parts: Parts): Promise<void> {
  const head = await openRegister(transaction, parts);
  // A register that has just begun has all logs.
  if (head.isNew) return;
  await appendToRegister(transaction, head, entriesOf(chain, parts.random), parts);
}

/** Register the logs of an older store, unless that was done. */
export async function adoptChains(store: Store, parts: Parts): Promise<void> {
  if (await registerHead(store.db)) return;
  const known = await store.db.selectFrom('auditChains').select('id').limit(1).executeTakeFirst();
  if (known) await store.transaction((transaction) => openRegister(transaction, parts));
}

/** Hold the register until the transaction ends. Where there is none, it begins with the logs that are there. */
export async function openRegister(
  transaction: StoreTransaction,
  parts: Parts,
): Promise<RegisterHead & { readonly isNew: boolean }> {
  const { db, lock } = transaction;
  await lock('register of audit logs');
  const found = await registerHead(db);
  if (found) return { ...found, isNew: false };
  const { clock, random } = parts;
  const createdAt = new Date(clock.now()).toISOString();
  const genesis: RegisterGenesis = { object: 'genesis', chain: random.uuid(), kind: 'register', createdAt };
  const hash = genesisHash(genesis);
  await db
    .insertInto('auditRegister')
    .values({ sequence: 0, body: canonicalJson(genesis), hash })
    .execute();
  const chains = await unregistered(db).orderBy('auditChains.id').execute();
  const entries = chains.flatMap((chain) => entriesOf(chain, random));
  const head = { chain: genesis.chain, headSequence: 0, headHash: hash };
  return { ...(await appendToRegister(transaction, head, entries, parts)), isNew: true };
}

/** Add rows to the register, which the transaction holds. */
export async function appendToRegister(
  { db }: StoreTransaction,
  head: RegisterHead,
  entries: readonly RegisterEntry[],
  { clock }: Parts,
): Promise<RegisterHead> {
  const { chain } = head;
  const rowHash = rowHashOf(chain, 1);
  const last = await db
    .selectFrom('auditRegister')
    .select('body')
    .where('sequence', '=', head.headSequence)
    .executeTakeFirstOrThrow();
  let time = Date.parse((JSON.parse(last.body) as Pick<RowPlace, 'createdAt'>).createdAt);
  let { headSequence, headHash } = head;
  const recordedAt = new Date(clock.now()).toISOString();
  for (const entry of entries) {
    headSequence++;
    time = Math.max(clock.now(), time + 1);
    const place: RowPlace = {
      chain,
      sequence: headSequence,
      createdAt: new Date(time).toISOString(),
      recordedAt,
      version: 1,
    };
    const body = canonicalJson({ ...entry, ...place });
    headHash = rowHash(headSequence, headHash, body);
    await db.insertInto('auditRegister').values({ sequence: headSequence, body, hash: headHash }).execute();
  }
  return { chain, headSequence, headHash };
}

type Unregistered = Pick<
  Tables['auditChains'],
  'chain' | 'kind' | 'projectId' | 'environmentId' | 'genesis' | 'headSequence'
> & {
  readonly project: string;
  readonly environment: string | null;
};

function unregistered(db: Db) {
  return db
    .selectFrom('auditChains')
    .innerJoin('projects', 'projects.id', 'auditChains.projectId')
    .leftJoin('environments', 'environments.id', 'auditChains.environmentId')
    .select([
      'auditChains.chain',
      'auditChains.kind',
      'auditChains.projectId',
      'auditChains.environmentId',
      'auditChains.genesis',
      'auditChains.headSequence',
      'projects.name as project',
      'environments.name as environment',
    ]);
}

/** A log that has no rows yet has segments from its first one on. Those of the past of another log must be made first. */
function entriesOf(chain: Unregistered, random: Random): readonly RegisterEntry[] {
  const { kind, project, environment, projectId, environmentId } = chain;
  const isAdopted = chain.headSequence > 0;
  const begun: ChainEntry = {
    object: 'chain',
    id: random.uuid(),
    logChain: chain.chain,
    ...{ kind, project, environment, projectId, environmentId },
    genesisHash: genesisHash(JSON.parse(chain.genesis) as Genesis),
    ...(isAdopted ? { adopted: true } : {}),
  };
  if (isAdopted) return [begun];
  return [begun, { object: 'segments', id: random.uuid(), logChain: chain.chain, from: 1 }];
}
