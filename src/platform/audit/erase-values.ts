import type { KeyObject } from 'node:crypto';
import { type Disclosures, disclosedText } from '#contracts/audit/disclosures';
import { type ErasureEntry, rangesOf } from '#contracts/audit/erasure';
import { signErasure } from '#contracts/audit/signing';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { type ChainRecord, ownerOf } from './audit-chains.ts';
import { openChain } from './chain-writer.ts';
import { placeOfKept } from './personal-places.ts';

export interface ErasureParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Signs what was erased. */
  readonly key: KeyObject;
  /** What the operator says of it. */
  readonly reference: string | undefined;
  /** Who does it, as the operator says. */
  readonly by: string;
  /** Opens the values of records. */
  readonly sealed: SealedTexts;
}

/** Delete the values at some places of a row, with their salts. */
export async function eraseDisclosed(
  { db }: StoreTransaction,
  chain: ChainRecord,
  { sequence, disclosed }: { readonly sequence: number; readonly disclosed: string },
  places: readonly string[],
): Promise<void> {
  const values = Object.entries(JSON.parse(disclosed) as Disclosures);
  const left = Object.fromEntries(values.filter(([place]) => !places.includes(place)));
  await db
    .updateTable('auditRows')
    .set({ disclosed: disclosedText(left), ...(places.includes('user') ? { userId: null, userEmail: null } : {}) })
    .where('chainId', '=', chain.id)
    .where('sequence', '=', sequence)
    .execute();
}

/** The row that says what was erased, by the place in its rows. */
export function erasureOf(
  { chain }: ChainRecord,
  erased: ReadonlyMap<string, readonly number[]>,
  { clock, random, key, reference, by }: ErasureParts,
): ErasureEntry {
  const statement = {
    erased: Object.fromEntries([...erased].map(([place, sequences]) => [place, rangesOf(sequences)])),
    reference,
    by,
    at: new Date(clock.now()).toISOString(),
  };
  return { object: 'erasure', id: random.uuid(), ...statement, note: signErasure(chain, statement, key) };
}

/** Where the kept values of a record stand. */
interface KeptPlace {
  readonly sequence: number;
  readonly place: number;
}

const rowsPerStep = 200;

/** How many records have kept values that hold an e-mail address, in any case. */
export async function countValuesWith(
  db: Store['db'],
  chain: ChainRecord,
  email: string,
  sealed: SealedTexts,
): Promise<number> {
  let count = 0;
  for (let step: Step | undefined = await nextValues(db, chain, email, sealed, start); step; ) {
    count += step.found.length;
    step = await nextValues(db, chain, email, sealed, step.last);
  }
  return count;
}

/** Erase the kept values that hold an e-mail address, some a transaction; of how many records there were any. */
export async function eraseValuesWith(
  store: Store,
  chain: ChainRecord,
  email: string,
  parts: ErasureParts,
): Promise<number> {
  let count = 0;
  for (let last: KeptPlace | undefined = start; last; ) {
    const step: Step | undefined = await nextValues(store.db, chain, email, parts.sealed, last);
    if (step && step.found.length > 0) await eraseKept(store, chain, step.found, parts);
    count += step?.found.length ?? 0;
    last = step?.last;
  }
  return count;
}

const start: KeptPlace = { sequence: 0, place: -1 };

interface Step {
  /** In the order of the log. */
  readonly found: readonly KeptPlace[];
  /** Everything up to here was looked at. */
  readonly last: KeptPlace;
}

async function nextValues(
  db: Store['db'],
  { id, firstSequence }: ChainRecord,
  email: string,
  sealed: SealedTexts,
  last: KeptPlace,
): Promise<Step | undefined> {
  const rows = await db
    .selectFrom('auditValues')
    .select(['sequence', 'place', 'sealed'])
    .where('chainId', '=', id)
    .where('sequence', '>=', Math.max(firstSequence, last.sequence))
    .where((the) => the.or([the('sequence', '>', last.sequence), the('place', '>', last.place)]))
    .orderBy('sequence')
    .orderBy('place')
    .limit(rowsPerStep)
    .execute();
  const end = rows.at(-1);
  if (!end) return undefined;
  const wanted = JSON.stringify(email.toLowerCase()).slice(1, -1);
  const texts = await Promise.all(rows.map(async (row) => (await sealed.open(row.sealed))?.toLowerCase()));
  return { found: rows.filter((_, at) => texts[at]?.includes(wanted)), last: end };
}

function eraseKept(store: Store, chain: ChainRecord, found: readonly KeptPlace[], parts: ErasureParts): Promise<void> {
  return store.transaction(async (transaction) => {
    const writer = await openChain(transaction, ownerOf(chain), parts);
    const { db } = transaction;
    const erased = new Map<string, number[]>();
    for (const [sequence, places] of Map.groupBy(found, (each) => each.sequence)) {
      const names = places.map(({ place }) => placeOfKept(place));
      const row = await db
        .selectFrom('auditRows')
        .select('disclosed')
        .where('chainId', '=', chain.id)
        .where('sequence', '=', sequence)
        .executeTakeFirst();
      const disclosed = row?.disclosed ?? null;
      // A retention was faster.
      if (disclosed === null) continue;
      await eraseDisclosed(transaction, writer.chain, { sequence, disclosed }, names);
      await db
        .deleteFrom('auditValues')
        .where('chainId', '=', chain.id)
        .where('sequence', '=', sequence)
        .where(
          'place',
          'in',
          places.map(({ place }) => place),
        )
        .execute();
      for (const name of names) erased.set(name, [...(erased.get(name) ?? []), sequence]);
    }
    if (erased.size === 0) return;
    writer.add(erasureOf(writer.chain, erased, parts));
    await writer.write();
  });
}
