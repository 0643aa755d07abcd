import { type ActivityEntry, type AuditEntry, valuesPart } from '#contracts/audit/rows';
import { cosign, cosignerKeyOf, cosignerOf } from '#contracts/audit/signing';
import { silentLogger } from '#kernel/ports/logger';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { sha256Hex } from '#node/system/digest';
import { systemRandom } from '#node/system/system-random';
import type { ChainOwner, ChainRecord } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { keepCosignature } from '#platform/audit/cosignatures';
import { erasePersonFromLogs } from '#platform/audit/erase-person';
import { restoreStore } from '#platform/audit/restore-store';
import { removeExpired } from '#platform/audit/retention';
import { createSegmentKeeper, signedNotes } from '#platform/audit/segments';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { writeBackup } from '#platform/transfer/write-backup';
import { provisionIn } from '../../../helpers/admin-log.ts';
import { sealedValues } from '../../../helpers/sealed-values.ts';
import { activityEntry } from '../audited-environment.ts';
import { appendFirstRows } from '../first-rows.ts';

export const platformKey = 'ab'.repeat(32);
export const dayMs = 24 * 60 * 60_000;
const key = deriveCheckpointKey(platformKey);
const random = systemRandom;

/** A platform of two projects, three environments and a log of each, and what is kept outside of its store. */
export class AuditedPlatform {
  /** Where its store is; another place after a restore. */
  place: SqlConnectionParams;
  /** The checkpoints outside of the store. */
  readonly kept: string[] = [];
  readonly owners: ChainOwner[] = [];
  /** Whether acts keep the values that they wrote, as in stores of version 37 and later. */
  readonly #keepsValues: boolean;
  #offset = 0;

  constructor(place: SqlConnectionParams, { keepsValues = true }: { readonly keepsValues?: boolean } = {}) {
    this.place = place;
    this.#keepsValues = keepsValues;
  }

  readonly clock = { now: () => Date.now() + this.#offset, monotonicMs: () => performance.now() };

  pass(ms: number): void {
    this.#offset += ms;
  }

  async use<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
    const store = await openStore(this.place);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  checkpointsOf(store: Store) {
    return createCheckpoints({ store, clock: this.clock, key, keep: async (note) => void this.kept.push(note) });
  }

  /** Sign the months that are over, as a platform does before it signs how long its logs are. */
  settle(store: Store): Promise<void> {
    return createSegmentKeeper({ store, clock: this.clock, key, random, logger: silentLogger }).settleAll();
  }

  /** Made by the clock of the machine, so before everything else. */
  async provision(store: Store): Promise<void> {
    for (const project of ['shop', 'bank']) {
      const { environment } = await provisionIn(store, {
        project,
        secretHash: crypto.randomUUID(),
        user: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' },
      });
      const { projectId } = environment;
      this.owners.push({ kind: 'activity', environmentId: environment.id }, { kind: 'admin', projectId });
      if (project !== 'shop') continue;
      const other = await store.transaction(({ db }) =>
        db
          .insertInto('environments')
          .values({
            ...{ projectId, name: 'production', type: 'production', secretHash: crypto.randomUUID() },
            createdAt: this.clock.now(),
          })
          .returning('id')
          .executeTakeFirstOrThrow(),
      );
      this.owners.push({ kind: 'activity', environmentId: other.id });
    }
    this.pass(1_000);
  }

  async append(store: Store, owner: ChainOwner, acts: number, seed = 0): Promise<void> {
    const sealed = await Promise.all(
      Array.from({ length: acts }, (_, index) => (this.#keepsValues ? valuesOf(seed + index) : [])),
    );
    await store.transaction(async (transaction) => {
      const writer = await openChain(transaction, owner, { clock: this.clock, random });
      for (const [index, texts] of sealed.entries()) {
        const entries =
          owner.kind === 'admin' ? changeOf(seed + index) : actOf(seed + index, writer.add.bind(writer), texts);
        for (const entry of entries) writer.add(entry, 'kept' in entry ? texts : []);
      }
      await writer.write();
    });
  }

  appendToAll(store: Store, acts: number, seed = 0, owners: readonly ChainOwner[] = this.owners): Promise<void> {
    return owners.reduce<Promise<void>>(
      (before, owner) => before.then(() => this.append(store, owner, acts, seed)),
      Promise.resolve(),
    );
  }

  /** Erase one of the three people of `actOf`. */
  async erase(store: Store, id: number): Promise<void> {
    const { clock } = this;
    await erasePersonFromLogs(store, `user${id}@example.test`, {
      clock,
      random,
      key,
      reference: `ticket ${id}`,
      by: 'root@host',
      sealed: sealedValues,
    });
  }

  removeExpired(store: Store, activityDays: number): Promise<void> {
    return removeExpired({ store, clock: this.clock, random, key, retention: { activityDays } });
  }

  /** @param file The backup. */
  backUp(file: string): Promise<unknown> {
    const madeAt = new Date(this.clock.now()).toISOString();
    return writeBackup({ store: this.place, file, madeAt, madeBy: '0.1.0', progress: () => undefined });
  }

  /** Go on with a backup at another place, as an operator does who has lost the store. */
  async restore(file: string, place: SqlConnectionParams): Promise<void> {
    const { clock } = this;
    await restoreStore({ file, store: place, platformKey, clock, random, progress: () => undefined });
    this.place = place;
  }

  /**
   * Every kind of row, in logs whose beginnings were removed, and one that version 0.1.0 began; all of them signed. The oldest month has
   * lost some of its rows.
   */
  async fill(store: Store): Promise<void> {
    await this.provision(store);
    const [older] = this.owners.slice(2);
    if (!older) throw new Error('There is no third log.');
    const others = this.owners.filter((owner) => owner !== older);
    const now = new Date(this.clock.now());
    this.pass(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 2) - now.getTime());
    await this.appendToAll(store, 8, 0, others);
    await this.settle(store);
    await this.checkpointsOf(store).signAll();
    this.pass(15 * dayMs);
    const entries: ActivityEntry[] = [];
    for (const seed of [4, 8, 12]) actOf(seed, (entry) => entries.push(entry));
    await appendFirstRows(store, older, entries, this.clock);
    await this.appendToAll(store, 4, 8);
    this.pass(25 * dayMs);
    await this.appendToAll(store, 10, 12);
    await this.settle(store);
    await this.checkpointsOf(store).signAll();
    this.pass(2 * dayMs);
    await this.removeExpired(store, 31);
    await this.erase(store, 2);
    await this.appendToAll(store, 3, 50);
    await this.settle(store);
    await this.checkpointsOf(store).signAll();
    await this.cosign(store);
  }

  /** Another machine signs the newest segment of each log that is over, and the register for both projects. */
  async cosign(store: Store): Promise<void> {
    const witness = cosignerKeyOf('witness.example', '11'.repeat(32));
    const keep = (projectId: number, chain: ChainRecord | undefined, note: string) =>
      keepCosignature(
        { store, clock: this.clock, key },
        { projectId, findChain: async () => chain },
        {
          note: cosign(note, witness, Math.floor(this.clock.now() / 1000)),
          cosigner: cosignerOf(witness),
        },
      );
    const register = await this.checkpointsOf(store).signRegister();
    for (const chain of await store.db.selectFrom('auditChains').selectAll().execute()) {
      const note = (await signedNotes(store.db, chain.id)).at(-1);
      if (note !== undefined) await keep(chain.projectId, chain, note);
      if (register !== undefined) await keep(chain.projectId, undefined, register);
    }
  }
}

const pick = <Value>(values: readonly [Value, ...Value[]], at: number): Value =>
  values[at % values.length] ?? values[0];

const programs = [
  { client: { object: 'client', id: 'nightly', name: 'nightly' } },
  { client: { object: 'client', id: '7', name: 'Claude' }, tool: 'list' },
  { client: { object: 'client', id: '8', name: '7' }, tool: 'update' },
] as const;

/** An act with what later rows say of it. What is returned stands behind it. */
function actOf(
  seed: number,
  add: (entry: ActivityEntry) => number,
  sealed: readonly string[] = [],
): readonly AuditEntry[] {
  const id = pick([1, 2, 3], seed);
  const status = pick(['completed', 'pending', 'failed', 'pending'] as const, seed);
  const entry: ActivityEntry = activityEntry({
    type: pick(['write', 'read', 'write'] as const, seed),
    action: pick(['update', 'index', 'delete'] as const, seed),
    collection: { object: 'collection', name: pick(['orders', 'customers'], seed) },
    recordIds: [String(seed), 'shared'],
    recordCount: 3,
    user: { object: 'user', id, email: `user${id}@example.test`, username: `User ${id}` },
    team: { object: 'team', name: pick(['Operations', 'Support'], seed) },
    correlationId: `c${seed}`,
    ...pick<Pick<ActivityEntry, 'client' | 'tool'>>([{}, ...programs], seed),
    // Stores that keep no values are of a version whose hosts do not tell this either.
    ...(sealed.length > 0 && seed % 2 === 1 ? { codeVersion: pick([2, 3], seed) } : {}),
    status,
  });
  const actSequence = add(entry);
  const { collection } = entry;
  const row = { object: 'activityLogRecords', id: entry.id, actSequence, collection } as const;
  if (status === 'completed' && sealed.length > 0) {
    return [{ ...row, part: valuesPart, recordIds: entry.recordIds, kept: sealed.map(sha256Hex) }];
  }
  if (status !== 'pending') return [];
  return [
    {
      object: 'activityLogOutcome',
      id: entry.id,
      actSequence,
      status: pick(['completed', 'failed'], seed),
      durationMs: 1,
    },
    // What an act told at first and at its end may be the same record.
    { ...row, part: 0, recordIds: ['shared', `late ${seed}`] },
  ];
}

/** Sealed values of both records of an act. Every third of them names one of the people. */
async function valuesOf(seed: number): Promise<readonly string[]> {
  const before = { owner: `user${pick([1, 2, 3], seed)}@example.test` };
  const records = [String(seed), 'shared'].map((recordId) => ({ act: '', recordId, before, after: {}, unkept: {} }));
  return Promise.all(records.map((record) => sealedValues.seal(JSON.stringify(record))));
}

function changeOf(seed: number): readonly AuditEntry[] {
  const type = pick(['add', 'update', 'remove'] as const, seed);
  const user = { object: 'user' as const, id: 1, email: 'ada@example.test', username: 'Ada Lovelace' };
  return [
    {
      ...{ object: 'adminLog', id: crypto.randomUUID(), type, initiator: 'administrator', user },
      resource: 'role',
      newValue: { name: `role ${seed}` },
    },
  ];
}
