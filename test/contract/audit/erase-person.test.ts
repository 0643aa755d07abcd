import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AdminEntry, AuditEntry } from '#contracts/audit/rows';
import { signErasure, verifierOf } from '#contracts/audit/signing';
import { verifyExport } from '#contracts/audit/verify-export';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemRandom } from '#node/system/system-random';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { erasePersonFromLogs, erasePersonFromStore, findPersonInLogs } from '#platform/audit/erase-person';
import { exportAsLines } from '#platform/audit/export-chain';
import { listErasures } from '#platform/audit/list-erasures';
import { readLog } from '#platform/audit/read-log';
import { verifyStore } from '#platform/audit/verify-store';
import { createManualTime } from '../../helpers/manual-time.ts';
import { sealedValues } from '../../helpers/sealed-values.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';
import { appendFirstRows } from './first-rows.ts';

const platformKey = 'ab'.repeat(32);
const key = deriveCheckpointKey(platformKey);
const keys = [verifierOf(key)];
const random = { ...systemRandom, hex: (bytes: number) => '0'.repeat(bytes * 2) };
/** The person of `auditedEnvironment` is the first one of the store. */
const ada = { object: 'user', id: 1, email: 'ada@example.test', username: 'Ada Lovelace' } as const;
const bob = { object: 'user', id: 2, email: 'bob@example.test', username: 'Bob' } as const;

function change(given: object): AdminEntry {
  return {
    ...{ object: 'adminLog', id: crypto.randomUUID(), type: 'update', initiator: 'administrator', user: bob },
    ...given,
  } as AdminEntry;
}

/** What the log of a project says of Ada: by herself, and about her. */
const changes = [
  change({ user: ada, address: '203.0.113.7', resource: 'team', newValue: { name: 'Support' } }),
  change({ address: '203.0.113.8', resource: 'password', newValue: { user: ada } }),
  change({ resource: 'password', newValue: { user: bob } }),
  change({ resource: 'invitation', newValue: { email: ada.email, role: 'a', state: 'open' } }),
  change({
    resource: 'rights',
    newValue: { revision: 1, sentences: [`${ada.email} has the role "a"`, 'Team "a" sees x'], more: 0 },
  }),
];

const engines = useStoreEngines();

async function startAt(place: SqlConnectionParams) {
  const { clock } = createManualTime();
  const { store, environmentId } = await auditedEnvironment(await openTestStore(place), clock);
  const acts = { kind: 'activity', environmentId: environmentId.current } as const;
  const settings = { kind: 'admin', projectId: environmentId.projectId } as const;
  const append = (owner: typeof acts | typeof settings, entries: readonly AuditEntry[]) =>
    store.transaction(async (transaction) => {
      const writer = await openChain(transaction, owner, { clock, random });
      for (const entry of entries) writer.add(entry);
      await writer.write();
    });
  const checkpoints = createCheckpoints({ store, clock, key, keep: async () => undefined });
  return {
    ...{ place, store, clock, acts, settings, append, checkpoints },
    erase: (email: string = ada.email) =>
      erasePersonFromLogs(store, email, {
        clock,
        random,
        key,
        reference: 'T-17',
        by: 'root@host',
        sealed: sealedValues,
      }),
    async chain(owner: typeof acts | typeof settings = acts) {
      const chain = await findChain(store.db, owner);
      if (!chain) throw new Error('There is no log.');
      return chain;
    },
    async lines(owner: typeof acts | typeof settings = acts) {
      const chain = await this.chain(owner);
      const signer = { key, checkpoints };
      let text = '';
      for await (const part of exportAsLines(store.db, { chain, after: 0, maxRows: 1e6, signer, cursorAt: String })) {
        text += part;
      }
      return text.trimEnd().split('\n');
    },
    /** Texts of the whole table of rows. */
    async rowTexts() {
      const rows = await store.db.selectFrom('auditRows').selectAll().orderBy('chainId').orderBy('sequence').execute();
      return rows.map((row) => JSON.stringify(row));
    },
    async problem() {
      await checkpoints.signAll();
      const { logs, register } = await verifyStore(place, { platformKey, anchors: [] });
      return [...logs, ...(register ? [register] : [])].find((verdict) => verdict.problem)?.problem ?? null;
    },
  };
}

describe.each(engines)('erasing a person from the logs on $engine', ({ newPlace }) => {
  const start = async () => startAt(await newPlace());

  it('leaves no trace of them, and logs that hold', async () => {
    const log = await start();
    await log.append(log.acts, [
      ...[ada, bob, ada].map((user) => activityEntry({ user })),
      // Before, she had another address.
      activityEntry({ user: { ...ada, email: 'countess@example.test' } }),
    ]);
    await log.append(log.settings, changes);
    const found = await findPersonInLogs(log.store, ada.email, sealedValues);
    expect(found.map(({ environment }) => environment)).toEqual(expect.arrayContaining(['development', null]));
    expect(found.find(({ environment }) => environment !== null)).toMatchObject({ rows: 3, rowsThatStay: 0 });
    expect(await log.erase()).toEqual(found);
    expect(await log.problem()).toBeNull();
    expect((await log.rowTexts()).filter((text) => /ada@|countess|lovelace|203\.0\.113\.7/i.test(text))).toEqual([]);
    // The address of somebody else who changed her stays.
    expect((await log.rowTexts()).filter((text) => text.includes('203.0.113.8'))).toHaveLength(1);
    for (const owner of [log.acts, log.settings]) {
      const erased = { by: 'root@host', reference: 'T-17', rows: owner === log.acts ? 3 : expect.any(Number) };
      const verdict = await verifyExport(await log.lines(owner), { keys });
      expect(verdict).toMatchObject({ outcome: 'holds', erasures: [erased] });
      const listed = await listErasures(log.store.db, await log.chain(owner), {
        limit: 1,
        order: 'desc',
        after: undefined,
      });
      expect(listed).toMatchObject({ hasMore: false, rows: [erased] });
    }
    expect(await findPersonInLogs(log.store, ada.email, sealedValues)).toEqual([]);
  });

  it('shows in their place what every client takes, and finds nothing by them', async () => {
    const log = await start();
    await log.append(log.acts, [activityEntry({ user: ada }), activityEntry({ user: bob })]);
    await log.append(log.settings, changes);
    await log.erase();
    const read = async (filter: object, owner: typeof log.acts | typeof log.settings = log.acts) =>
      (await readLog(log.store.db, await log.chain(owner), filter, { limit: 100, order: 'asc' })).rows;
    expect(await read({ userEmail: ada.email })).toEqual([]);
    expect(await read({ userId: ada.id })).toEqual([]);
    expect(await read({ userId: bob.id })).toHaveLength(1);
    const erased = { object: 'user', id: 0, email: 'erased@erased.invalid', username: '' };
    expect((await read({})).map(({ entry }) => entry.user)).toEqual([erased, bob]);
    const admin = (await read({}, log.settings)).slice(-changes.length).map(({ entry }) => entry as AdminEntry);
    expect(admin.map(({ user, address, newValue }) => ({ user, address, newValue }))).toEqual([
      { user: erased, address: undefined, newValue: { name: 'Support' } },
      { user: bob, address: '203.0.113.8', newValue: { user: erased } },
      { user: bob, address: undefined, newValue: { user: bob } },
      { user: bob, address: undefined, newValue: { email: 'erased@erased.invalid', role: 'a', state: 'open' } },
      {
        user: bob,
        address: undefined,
        newValue: { revision: 1, sentences: ['erased@erased.invalid', 'Team "a" sees x'], more: 0 },
      },
    ]);
  });

  it('says which rows stay, because an older version hashed what they say', async () => {
    const log = await start();
    await appendFirstRows(log.store, log.acts, [activityEntry({ user: ada }), activityEntry({ user: bob })], log.clock);
    const createdAt = log.clock.now();
    const older = await log.store.transaction(({ db }) =>
      db.insertInto('projects').values({ name: 'older', createdAt }).returning('id').executeTakeFirstOrThrow(),
    );
    await appendFirstRows(log.store, { kind: 'admin', projectId: older.id }, changes, log.clock);
    await log.append(log.acts, [activityEntry({ user: ada })]);
    const counts = (await log.erase()).map(({ environment, rows, rowsThatStay }) => ({
      environment,
      rows,
      rowsThatStay,
    }));
    expect(counts).toContainEqual({ environment: 'development', rows: 1, rowsThatStay: 1 });
    expect(counts).toContainEqual({ environment: null, rows: 0, rowsThatStay: 4 });
    expect(await log.problem()).toBeNull();
    expect(await verifyExport(await log.lines(), { keys })).toMatchObject({ outcome: 'holds', rows: 4 });
  });

  it('writes nothing when it is called again, and goes on where it was interrupted', async () => {
    const log = await start();
    await log.append(
      log.acts,
      Array.from({ length: 1_203 }, () => activityEntry({ user: ada })),
    );
    let steps = 0;
    const interrupted = {
      ...random,
      uuid: () => {
        steps++;
        // The first step is in the log of changes.
        if (steps === 3) throw new Error('stopped');
        return crypto.randomUUID();
      },
    };
    const parts = { clock: log.clock, key, reference: undefined, by: 'root@host', sealed: sealedValues };
    await expect(erasePersonFromLogs(log.store, ada.email, { ...parts, random: interrupted })).rejects.toThrow(
      'stopped',
    );
    expect(await log.problem()).toBeNull();
    expect(await log.erase()).toContainEqual(expect.objectContaining({ environment: 'development', rows: 703 }));
    const { headSequence } = await log.chain();
    expect(headSequence).toBe(1_203 + 1 + 2);
    await log.erase();
    expect((await log.chain()).headSequence).toBe(headSequence);
    expect(await log.problem()).toBeNull();
  });

  it('leaves an export that is under way whole', async () => {
    const log = await start();
    await log.append(
      log.acts,
      Array.from({ length: 2_500 }, () => activityEntry({ user: ada })),
    );
    const chain = await log.chain();
    const signer = { key, checkpoints: log.checkpoints };
    const lines: string[] = [];
    let isErased = false;
    for await (const text of exportAsLines(log.store.db, { chain, after: 0, maxRows: 1e6, signer, cursorAt: String })) {
      lines.push(...text.trimEnd().split('\n'));
      if (!isErased && lines.length > 1_000) {
        isErased = true;
        await log.erase();
      }
    }
    expect(lines.filter((line) => line.includes('"salts"')).length).toBeLessThan(2_500);
    expect(await verifyExport(lines, { keys })).toMatchObject({ outcome: 'holds', rows: 2_505 });
    expect(await verifyExport(await log.lines(), { keys })).toMatchObject({ outcome: 'holds', rows: 2_505 });
  });

  it('is the only change of a row that the store takes', async () => {
    const log = await start();
    await log.append(log.acts, [activityEntry({ user: ada })]);
    const update = (values: object) =>
      log.store.transaction(async ({ db }) => {
        await db.updateTable('auditRows').set(values).where('userId', '=', ada.id).execute();
      });
    const refused = [
      { userId: 9 },
      { userEmail: bob.email },
      { body: '{}' },
      { hash: 'a'.repeat(64) },
      { collection: null, disclosed: null },
      { disclosed: `{"user":["${'a'.repeat(500)}",{}]}` },
    ];
    for (const values of refused) {
      await expect(update(values), JSON.stringify(values)).rejects.toThrow('append-only');
    }
    expect(await log.problem()).toBeNull();
    await log.erase();
    const putBack = log.store.transaction(async ({ db }) => {
      await db.updateTable('auditRows').set({ userId: ada.id, disclosed: '{}' }).execute();
    });
    await expect(putBack).rejects.toThrow('append-only');
    expect(await log.problem()).toBeNull();
  });

  it('is found out where the platform has not signed it', async () => {
    const log = await start();
    await log.append(log.acts, [activityEntry({ user: ada })]);
    const { chain } = await log.chain();
    const statement = { erased: { user: '1' }, at: '2026-01-01T00:00:00.000Z' };
    const forged = deriveCheckpointKey('cd'.repeat(32));
    const note = signErasure(chain, statement, forged);
    await log.append(log.acts, [{ object: 'erasure', id: crypto.randomUUID(), ...statement, note }]);
    const change = { disclosed: null, userId: null, userEmail: null };
    const { id } = await log.chain();
    await log.store.transaction(async ({ db }) => {
      await db.updateTable('auditRows').set(change).where('chainId', '=', id).where('sequence', '=', 1).execute();
    });
    expect(await log.problem()).toMatchObject({ kind: 'signature', sequence: 2 });
    expect(await verifyExport(await log.lines(), { keys })).toMatchObject({
      problem: { kind: 'signature', sequence: 2 },
    });
  });

  it('needs the key that the logs are signed with', async () => {
    const log = await start();
    await log.append(log.acts, [activityEntry({ user: ada })]);
    await log.checkpoints.signAll();
    await log.store.close();
    const input = {
      email: ada.email,
      reference: undefined,
      by: 'root@host',
      clock: log.clock,
      random,
      confirm: async () => true,
    };
    const wrong = erasePersonFromStore(log.place, { ...input, platformKey: 'cd'.repeat(32) });
    await expect(wrong).rejects.toMatchObject({ code: 'PLATFORM_KEY_WRONG' });
    const right = await erasePersonFromStore(log.place, { ...input, platformKey });
    expect(right.logs).toContainEqual(expect.objectContaining({ environment: 'development', rows: 1 }));
  });
});

it('an erasure is found out where somebody else does it, or takes it back', async () => {
  const storage = path.join(await temporaryFolder(), 'platform.sqlite');
  const log = await startAt({ dialect: 'sqlite', storage });
  await log.append(log.acts, [activityEntry({ user: ada }), activityEntry({ user: ada })]);
  const { id } = await log.chain();
  const [kept] = await log.store.db.selectFrom('auditRows').selectAll().where('chainId', '=', id).execute();
  await log.store.close();
  const thief = await openSqlite(storage);
  thief.execute('drop trigger audit_rows_are_final');
  const attack = async (sql: string, values: readonly (string | number | null)[] = []) => {
    thief.execute('begin');
    thief.run(sql, values);
    thief.execute('commit');
    const { logs } = await verifyStore(log.place, { platformKey, anchors: [] });
    return logs.find((verdict) => verdict.problem)?.problem;
  };
  const first = `where chain_id = ${id} and sequence = 1`;
  const erase = `update audit_rows set disclosed = null, user_id = null, user_email = null ${first}`;
  expect(await attack(erase)).toMatchObject({ kind: 'disclosure', sequence: 1 });
  const put = `update audit_rows set disclosed = ?, user_id = ?, user_email = ? ${first}`;
  expect(await attack(put, [kept?.disclosed ?? null, 1, ada.email])).toBeUndefined();
  const other = (kept?.disclosed ?? '').replaceAll('ada@', 'eve@');
  expect(await attack(put, [other, 1, 'eve@example.test'])).toMatchObject({ kind: 'disclosure', sequence: 1 });
  expect(await attack(put, [kept?.disclosed ?? null, 1, ada.email])).toBeUndefined();

  await erasePersonFromStore(log.place, {
    ...{ email: ada.email, platformKey, reference: undefined, by: 'root@host', clock: log.clock, random },
    confirm: async () => true,
  });
  expect(await attack('select 1')).toBeUndefined();
  expect(await attack(put, [kept?.disclosed ?? null, 1, ada.email])).toMatchObject({
    kind: 'disclosure',
    sequence: 1,
  });
  thief.close();
});
