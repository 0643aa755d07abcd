import type { AdminValues } from '#contracts/audit/admin-values';
import { type Genesis, type RowHash, rowHashOf } from '#contracts/audit/chain';
import type { ActivityEntry, AuditEntry, RowPlace } from '#contracts/audit/rows';
import type { Clock } from '#kernel/ports/clock';
import type { Random } from '#kernel/ports/random';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { type ChainOwner, type ChainRecord, lockChain } from './audit-chains.ts';
import { columnsOf, partsOf } from './chain-row.ts';

/** SQLite and PostgreSQL take this many rows of this width in one statement. */
const rowsPerStatement = 500;

/** Adds rows to the end of a chain, within a transaction that holds the chain. */
export class ChainWriter {
  readonly chain: ChainRecord;
  readonly #transaction: StoreTransaction;
  readonly #rowHash: RowHash;
  readonly #recordedAt: string;
  readonly #now: number;
  #head: { sequence: number; hash: string; createdAt: number; month: number };
  #rows: Tables['auditRows'][] = [];
  #records: Tables['auditRecords'][] = [];
  #outcomes: Tables['auditOutcomes'][] = [];
  #values: Tables['auditValues'][] = [];

  constructor(transaction: StoreTransaction, chain: ChainRecord, now: number) {
    this.#transaction = transaction;
    this.chain = chain;
    this.#rowHash = rowHashOf(chain.chain, 2);
    this.#now = now;
    this.#recordedAt = new Date(now).toISOString();
    this.#head = {
      sequence: chain.headSequence,
      hash: chain.headHash,
      createdAt: chain.headCreatedAt,
      month: chain.headMonth,
    };
  }

  /**
   * Add a row; returns its sequence. Nothing is written before `write`.
   *
   * @param sealed The values of its records, where it commits to them.
   */
  add(entry: AuditEntry, sealed: readonly string[] = []): number {
    const head = this.#head;
    const sequence = head.sequence + 1;
    // No two rows have the same time, so that whoever pages by it misses none. Under load it runs ahead of the clock.
    const createdAt = Math.max(this.#now, head.createdAt + 1);
    const date = new Date(createdAt);
    const place = {
      chain: this.chain.chain,
      sequence,
      createdAt: date.toISOString(),
      recordedAt: this.#recordedAt,
      version: 2,
    } as const;
    const { body, disclosed } = partsOf(entry, place);
    const hash = this.#rowHash(sequence, head.hash, body);
    const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
    const { id: chainId } = this.chain;
    this.#rows.push({ ...columnsOf(entry), chainId, sequence, month, createdAt, body, disclosed, version: 2, hash });
    if (entry.object === 'activityLog') this.#addRecords(sequence, entry);
    else if (entry.object === 'activityLogRecords') {
      const { actSequence, recordIds } = entry;
      this.#addRecords(actSequence, entry);
      for (const [place, text] of sealed.entries()) {
        this.#values.push({ chainId, sequence, place, actSequence, recordId: recordIds[place] ?? '', sealed: text });
      }
    } else if (entry.object === 'activityLogOutcome') {
      const { actSequence, status } = entry;
      this.#outcomes.push({ chainId: this.chain.id, sequence: actSequence, status, reportedIn: sequence });
    }
    this.#head = { sequence, hash, createdAt, month };
    return sequence;
  }

  /** Have an act found by its records. */
  #addRecords(sequence: number, { recordIds, collection }: Pick<ActivityEntry, 'recordIds' | 'collection'>): void {
    for (const recordId of new Set(recordIds)) {
      this.#records.push({ chainId: this.chain.id, recordId, sequence, collection: collection?.name ?? '' });
    }
  }

  /** Write what was added, and move the head of the chain. */
  async write(): Promise<void> {
    const { db } = this.#transaction;
    if (this.#rows.length === 0) return;
    const months = new Set(this.#rows.map(({ month }) => month).filter((month) => month !== this.chain.headMonth));
    for (const month of months) {
      await db
        .insertInto('auditMonths')
        .values({ month })
        .onConflict((same) => same.doNothing())
        .execute();
    }
    for (const part of batchesOf(this.#rows)) await db.insertInto('auditRows').values(part).execute();
    for (const part of batchesOf(this.#records)) {
      await db
        .insertInto('auditRecords')
        .values(part)
        .onConflict((same) => same.doNothing())
        .execute();
    }
    for (const part of batchesOf(this.#values)) await db.insertInto('auditValues').values(part).execute();
    if (this.#outcomes.length > 0) await db.insertInto('auditOutcomes').values(this.#outcomes).execute();
    const { sequence, hash, createdAt, month } = this.#head;
    await db
      .updateTable('auditChains')
      .set({ headSequence: sequence, headHash: hash, headCreatedAt: createdAt, headMonth: month })
      .where('id', '=', this.chain.id)
      .execute();
    this.#rows = [];
    this.#records = [];
    this.#outcomes = [];
    this.#values = [];
  }
}

interface Parts {
  readonly clock: Clock;
  readonly random: Random;
}

/** Hold a chain until the transaction ends, and write to its end. */
export async function openChain(
  transaction: StoreTransaction,
  owner: ChainOwner,
  { clock, random }: Parts,
): Promise<ChainWriter> {
  const now = clock.now();
  const chain = await lockChain(transaction, owner, random, now);
  if (chain.headCreatedAt > now + clockToleranceMs) await noteClock(transaction, chain, random, now);
  return new ChainWriter(transaction, chain, now);
}

/** Clocks of several processes differ by less. */
const clockToleranceMs = 60_000;
/** Processes whose clocks differ by more leave one row an hour. */
const quietMs = 60 * 60_000;

/**
 * Where the clock has gone back since the last row of a log, say so in the log of the project. Under load the times of rows run ahead of
 * the clock as well, so what counts is the reading of the clock in that row.
 */
async function noteClock(
  transaction: StoreTransaction,
  chain: ChainRecord,
  random: Random,
  now: number,
): Promise<void> {
  const { db } = transaction;
  const { chain: log, id, headSequence, projectId } = chain;
  const last = await db
    .selectFrom('auditRows')
    .select('body')
    .where('chainId', '=', id)
    .where('sequence', '=', headSequence)
    .executeTakeFirst();
  const { recordedAt } = last ? (JSON.parse(last.body) as RowPlace) : { recordedAt: '' };
  if (!(Date.parse(recordedAt) > now + clockToleranceMs)) return;
  // Taken last, as all rows of that log are.
  transaction.beforeCommit(async () => {
    const admin = await lockChain(transaction, { kind: 'admin', projectId }, random, now);
    if (await isNotedLately(db, admin, log, now)) return;
    const { environment } = JSON.parse(chain.genesis) as Genesis;
    const writer = new ChainWriter(transaction, admin, now);
    writer.add({
      object: 'adminLog',
      id: random.uuid(),
      type: 'update',
      initiator: 'platform',
      environment: environment === null ? undefined : { object: 'environment', name: environment },
      resource: 'clock',
      previousValue: { log, at: recordedAt },
      newValue: { log, at: new Date(now).toISOString() },
    });
    await writer.write();
  });
}

async function isNotedLately(db: Store['db'], { id }: ChainRecord, log: string, now: number): Promise<boolean> {
  const rows = await db
    .selectFrom('auditRows')
    .select('body')
    .where('chainId', '=', id)
    .where('action', '=', 'clock')
    .orderBy('sequence', 'desc')
    .limit(20)
    .execute();
  return rows.some(({ body }) => {
    const { newValue, recordedAt } = JSON.parse(body) as RowPlace & { readonly newValue: AdminValues['clock'] };
    return newValue.log === log && Math.abs(now - Date.parse(recordedAt)) < quietMs;
  });
}

function batchesOf<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const batches: (readonly Row[])[] = [];
  for (let start = 0; start < rows.length; start += rowsPerStatement) {
    batches.push(rows.slice(start, start + rowsPerStatement));
  }
  return batches;
}
