import type { Disclosures } from '#contracts/audit/disclosures';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import { createSealedTexts } from '#node/system/secrets';
import { openStore, type StoreAddress } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { readStore } from '../transfer/read-store.ts';
import { type ChainRecord, ownerOf } from './audit-chains.ts';
import { comparableEmail } from './chain-row.ts';
import { openChain } from './chain-writer.ts';
import { deriveCheckpointKey, refuseOtherKey } from './checkpoints.ts';
import { erasePersonFromTexts, findPersonInTexts, type PersonInTexts } from './erase-texts.ts';
import { countValuesWith, type ErasureParts, eraseDisclosed, eraseValuesWith, erasureOf } from './erase-values.ts';
import { type Person, personOf } from './person-to-erase.ts';
import { valuesPurpose } from './personal-places.ts';

type Db = Store['db'];

/** Rows of one log that name a person. */
export interface PersonInLog {
  readonly project: string;
  /** `null` for the changes of the configuration of the project. */
  readonly environment: string | null;
  /** Rows whose values can be erased, or were. */
  readonly rows: number;
  /** Rows of version 1. What they say is hashed, so that they go with their retention only. */
  readonly rowsThatStay: number;
  /** Records whose kept values hold the e-mail address. */
  readonly keptValues: number;
}

const rowsPerStep = 500;

interface EraseInput {
  readonly email: string;
  readonly platformKey: string;
  readonly reference: string | undefined;
  readonly by: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Rows that retention has removed, where an archive has them. */
  readonly archivedRows?: ArchivedRows | undefined;
  /** Asked with what would be erased. */
  readonly confirm: (found: PersonInStore) => Promise<boolean>;
}

/** The rows of a log before `before`, some at a time, with what stands beside them in an archive. */
export type ArchivedRows = (chain: string, before: number) => AsyncIterable<readonly Candidate[]>;

/** Where a store names a person, beside the account. */
export interface PersonInStore {
  readonly logs: readonly PersonInLog[];
  readonly texts: PersonInTexts;
}

/**
 * Erase a person from the logs of a store, and from what they wrote beside. Resolves to what was erased, or to what would be where
 * `confirm` says no.
 */
export async function erasePersonFromStore(
  address: StoreAddress,
  { email, platformKey, confirm, archivedRows = nothingArchived, ...parts }: EraseInput,
): Promise<PersonInStore> {
  // Opened for reading first, because opening it for writing would make a store that is not there.
  await readStore(address, { isAlone: false }, async () => undefined);
  const key = deriveCheckpointKey(platformKey);
  const store = await openStore(address);
  try {
    await refuseOtherKey(store.db, key, 'Nothing was erased.');
    const sealed = createSealedTexts(platformKey, valuesPurpose);
    const person = await personOf(store.db, email);
    const found = {
      logs: await findPersonInLogs(store, email, sealed, archivedRows),
      texts: await findPersonInTexts(store.db, person),
    };
    if (!(await confirm(found))) return found;
    const texts = await erasePersonFromTexts(store, person, parts.clock);
    return { logs: await erasePersonFromLogs(store, email, { ...parts, key, sealed }, archivedRows), texts };
  } finally {
    await store.close();
  }
}

/** How many rows of each log name a person. Logs without any are left out. */
export async function findPersonInLogs(
  store: Store,
  email: string,
  sealed: SealedTexts,
  archivedRows: ArchivedRows = nothingArchived,
): Promise<readonly PersonInLog[]> {
  const person = await personOf(store.db, email);
  const found: PersonInLog[] = [];
  for (const chain of await chainsOf(store.db)) {
    let rows = 0;
    for await (const batch of candidates(store.db, chain, person)) {
      rows += batch.filter((row) => placesAbout(row, person).length > 0).length;
    }
    for await (const batch of archivedRows(chain.chain, chain.firstSequence)) {
      rows += batch.filter((row) => placesAbout(row, person).length > 0).length;
    }
    const keptValues = await countValuesWith(store.db, chain, email, sealed);
    found.push({ ...namesOf(chain), rows, rowsThatStay: await countOldRows(store.db, chain, person), keptValues });
  }
  return found.filter(isNamed);
}

/**
 * Erase a person from all logs of a store: the values that name them, with their salts, and what rows are found by. Each step is a
 * transaction with a signed row of its own, so that an erasure that was interrupted goes on when it is called again.
 */
export async function erasePersonFromLogs(
  store: Store,
  email: string,
  parts: ErasureParts,
  archivedRows: ArchivedRows = nothingArchived,
): Promise<readonly PersonInLog[]> {
  const person = await personOf(store.db, email);
  const erased: PersonInLog[] = [];
  for (const chain of await chainsOf(store.db)) {
    let rows = 0;
    for (let step: Step | undefined = { rows: 0, last: 0 }; step; ) {
      step = await eraseStep(store, chain, person, step.last, parts);
      rows += step?.rows ?? 0;
    }
    for await (const batch of archivedRows(chain.chain, chain.firstSequence)) {
      rows += await eraseArchived(store, chain, person, batch, parts);
    }
    const keptValues = await eraseValuesWith(store, chain, email, parts);
    erased.push({ ...namesOf(chain), rows, rowsThatStay: await countOldRows(store.db, chain, person), keptValues });
  }
  return erased.filter(isNamed);
}

function isNamed({ rows, rowsThatStay, keptValues }: PersonInLog): boolean {
  return rows + rowsThatStay + keptValues > 0;
}

interface NamedChain extends ChainRecord {
  readonly project: string;
  readonly environment: string | null;
}

function chainsOf(db: Db): Promise<readonly NamedChain[]> {
  return db
    .selectFrom('auditChains')
    .innerJoin('projects', 'projects.id', 'auditChains.projectId')
    .leftJoin('environments', 'environments.id', 'auditChains.environmentId')
    .selectAll('auditChains')
    .select(['projects.name as project', 'environments.name as environment'])
    .orderBy('auditChains.id')
    .execute();
}

function namesOf({ project, environment }: NamedChain) {
  return { project, environment };
}

interface Candidate {
  readonly sequence: number;
  readonly disclosed: string;
}

/** The rows that may name a person, some at a time: acts by index, changes of the configuration all of them. */
async function* candidates(
  db: Db,
  chain: ChainRecord,
  person: Person,
  after = 0,
): AsyncGenerator<readonly Candidate[]> {
  for (let last = after; ; ) {
    const batch = await nextCandidates(db, chain, person, last);
    if (batch.length === 0) return;
    yield batch;
    last = batch.at(-1)?.sequence ?? last;
  }
}

async function nextCandidates(
  db: Db,
  { id, kind, firstSequence }: ChainRecord,
  person: Person,
  last: number,
): Promise<readonly Candidate[]> {
  const rows = db
    .selectFrom('auditRows')
    .select(['sequence', 'disclosed'])
    .where('chainId', '=', id)
    .where('sequence', '>=', firstSequence)
    .where('sequence', '>', last)
    .where('disclosed', 'is not', null)
    .orderBy('sequence')
    .limit(rowsPerStep);
  const queries =
    kind === 'admin'
      ? [rows]
      : [
          rows.where('userEmail', '=', person.email),
          ...[...person.ids].map((userId) => rows.where('userId', '=', userId)),
        ];
  const found = new Map<number, Candidate>();
  for (const query of queries) {
    for (const { sequence, disclosed } of await query.execute()) {
      if (disclosed !== null) found.set(sequence, { sequence, disclosed });
    }
  }
  return [...found.values()].sort((one, other) => one.sequence - other.sequence).slice(0, rowsPerStep);
}

/** The places of a row whose values are about a person. The address of a request is about who sent it. */
function placesAbout({ disclosed }: Candidate, person: Person): readonly string[] {
  const values = Object.entries(JSON.parse(disclosed) as Disclosures);
  const about = values.filter(([, [, value]]) => isAbout(value, person)).map(([place]) => place);
  return about.includes('user') && values.some(([place]) => place === 'address') ? [...about, 'address'] : about;
}

/** A user, an e-mail address, or a sentence that begins with one. */
function isAbout(value: unknown, { email, ids }: Person): boolean {
  if (typeof value === 'string') return comparableEmail(value.split(' ', 1)[0] ?? '') === email;
  const user = (value ?? {}) as { readonly id?: number; readonly email?: string };
  return (
    (user.id !== undefined && ids.has(user.id)) || (user.email !== undefined && comparableEmail(user.email) === email)
  );
}

interface Step {
  /** How many rows were erased. */
  readonly rows: number;
  /** Everything up to this row was looked at. */
  readonly last: number;
}

/** Erase what some rows say of a person; `undefined` where none is left. */
function eraseStep(
  store: Store,
  chain: ChainRecord,
  person: Person,
  after: number,
  parts: ErasureParts,
): Promise<Step | undefined> {
  return store.transaction(async (transaction) => {
    const writer = await openChain(transaction, ownerOf(chain), parts);
    const batch = await nextCandidates(transaction.db, writer.chain, person, after);
    const last = batch.at(-1)?.sequence;
    if (last === undefined) return undefined;
    const erased = new Map<string, number[]>();
    let rows = 0;
    for (const row of batch) {
      const places = placesAbout(row, person);
      if (places.length === 0) continue;
      await eraseDisclosed(transaction, writer.chain, row, places);
      for (const place of places) erased.set(place, [...(erased.get(place) ?? []), row.sequence]);
      rows++;
    }
    if (rows > 0) {
      writer.add(erasureOf(writer.chain, erased, parts));
      await writer.write();
    }
    return { rows, last };
  });
}

/** Say in the log what an archive has to take out of its values. Its next run does so. */
async function eraseArchived(
  store: Store,
  chain: ChainRecord,
  person: Person,
  batch: readonly Candidate[],
  parts: ErasureParts,
): Promise<number> {
  const erased = new Map<string, number[]>();
  const about = batch
    .map((row) => ({ row, places: placesAbout(row, person) }))
    .filter(({ places }) => places.length > 0);
  for (const { row, places } of about) {
    for (const place of places) erased.set(place, [...(erased.get(place) ?? []), row.sequence]);
  }
  if (about.length === 0) return 0;
  return store.transaction(async (transaction) => {
    const writer = await openChain(transaction, ownerOf(chain), parts);
    writer.add(erasureOf(writer.chain, erased, parts));
    await writer.write();
    return about.length;
  });
}

async function* nothingArchived(): AsyncGenerator<readonly Candidate[]> {
  // No archive is named.
}

/** Rows of version 1 that name a person. */
async function countOldRows(db: Db, { id, kind, firstSequence }: ChainRecord, person: Person): Promise<number> {
  const rows = db
    .selectFrom('auditRows')
    .where('chainId', '=', id)
    .where('sequence', '>=', firstSequence)
    .where('disclosed', 'is', null);
  const sequences = new Set<number>();
  const add = (found: readonly { readonly sequence: number }[]) => {
    for (const { sequence } of found) sequences.add(sequence);
  };
  add(await rows.select('sequence').where('userEmail', '=', person.email).execute());
  for (const userId of person.ids) add(await rows.select('sequence').where('userId', '=', userId).execute());
  if (kind !== 'admin') return sequences.size;
  // What was changed may be the person. Only the text of these rows says so.
  const texts = await rows.select(['sequence', 'body']).where('kind', 'in', ['admin', 'further']).execute();
  add(texts.filter(({ body }) => namesIn(body, person)));
  return sequences.size;
}

function namesIn(body: string, person: Person): boolean {
  const { version, previousValue, newValue } = JSON.parse(body) as {
    readonly version: number;
    readonly previousValue?: object;
    readonly newValue?: object;
  };
  if (version !== 1) return false;
  return [previousValue, newValue].some((value = {}) =>
    Object.values(value)
      .flat()
      .some((each: unknown) => isAbout(each, person)),
  );
}
