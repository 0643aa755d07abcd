import { appendFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { ExportedRegister } from '#contracts/audit/exported-register';
import type { ActivityEntry } from '#contracts/audit/rows';
import { verifierOf } from '#contracts/audit/signing';
import { type VerifyOptions, verifyExport } from '#contracts/audit/verify-export';
import { systemRandom } from '#node/system/system-random';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { exportAsLines } from '#platform/audit/export-chain';
import { readLog } from '#platform/audit/read-log';
import { removeExpired } from '#platform/audit/retention';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

/** The people and the environment of a test are made by the clock of the machine. */
const now = new Date();
const monthOfProvisioning = now.getUTCFullYear() * 100 + now.getUTCMonth() + 1;
const dayMs = 24 * 60 * 60_000;

describe.each(useStoreEngines())('an export of the audit log on $engine', ({ engine, newPlace }) => {
  /** A log of an environment, whose time the test decides. */
  async function start() {
    const { store, environmentId } = await auditedEnvironment(await openTestStore(await newPlace()));
    const time = createManualTime();
    const owner = { kind: 'activity', environmentId: environmentId.current } as const;
    const key = deriveCheckpointKey('ab'.repeat(32));
    const kept = path.join(await temporaryFolder(), 'checkpoints');
    const checkpoints = createCheckpoints({
      store,
      clock: time.clock,
      key,
      keep: (note) => appendFile(kept, `${note}\n`),
    });
    const parts = { clock: time.clock, random: systemRandom };
    return {
      time,
      store,
      checkpoints,
      /** The checkpoints of this log that were written outside of the store. */
      async keptNotes() {
        const { chain } = await this.chain();
        return (await this.allNotes()).filter((note) => note.includes(chain));
      },
      /** Those of all logs and of the register. */
      allNotes: async () =>
        (await readFile(kept, 'utf8')).split(/\n\n(?=vendor-cloud)/).map((note) => `${note.trim()}\n`),
      keys: [verifierOf(key)],
      append: (count: number, given: Partial<ActivityEntry> = {}) =>
        store.transaction(async (transaction) => {
          const writer = await openChain(transaction, owner, parts);
          for (let index = 0; index < count; index++) writer.add(activityEntry(given));
          await writer.write();
        }),
      removeExpired: (activityDays: number) => removeExpired({ store, key, retention: { activityDays }, ...parts }),
      chain: async () => {
        const chain = await findChain(store.db, owner);
        if (!chain) throw new Error('There is no chain.');
        return chain;
      },
      async lines(after = 0, maxRows = 1_000_000) {
        const chain = await this.chain();
        const signer = { key, checkpoints };
        let text = '';
        for await (const part of exportAsLines(store.db, { chain, after, maxRows, signer, cursorAt: String }))
          text += part;
        return text.trimEnd().split('\n');
      },
    };
  }

  it('holds, whole and in parts, also in words of another program', async () => {
    const log = await start();
    await log.append(2_500);
    const lines = await log.lines();
    expect(await verifyExport(lines, log)).toMatchObject({
      outcome: 'holds',
      rows: 2_500,
      first: 1,
      last: 2_500,
      problem: null,
      missing: [],
    });
    const parts = [...(await log.lines(0, 1_200)), ...(await log.lines(1_000))];
    expect(await verifyExport(parts, log)).toMatchObject({ outcome: 'holds', rows: 2_500 });
    for (const change of [
      (part: string[]) => part.with(50, (part[50] ?? '').replace('"object":"activityLog"', '"object":"other"')),
      (part: string[]) => part.with(50, part[49] ?? ''),
      (part: string[]) => part.toSpliced(50, 1),
      (part: string[]) => part.with(0, (part[0] ?? '').replace(/"previousHash":"./, '"previousHash":"-')),
    ]) {
      const repeated = await log.lines(1_000);
      const changed = change(repeated);
      expect(changed).not.toEqual(repeated);
      const { outcome } = await verifyExport([...(await log.lines(0, 1_200)), ...changed], log);
      expect(outcome).toBe('broken');
    }
    const again = lines.map((line) =>
      JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).reverse()), null, 1).replaceAll('\n', ' '),
    );
    expect(await verifyExport(again, log)).toMatchObject({ outcome: 'holds', rows: 2_500 });
  });

  it('is in ASCII where its rows are, because one other character slows all of them down', async () => {
    const log = await start();
    await log.append(3);
    const [first, ...others] = await log.lines();
    expect(first).toContain('signedCheckpoint');
    for (const line of [first, ...others]) expect(line).toMatch(/^[\0-\u007f]*$/);
  });

  it('is broken at the right row after any change', async () => {
    const log = await start();
    await log.append(40);
    const whole = await log.lines();
    const rows = whole.flatMap((line, index) => (line.includes('"previousHash"') && index > 0 ? [index] : []));
    expect(rows).toHaveLength(40);
    const outcome = (lines: readonly string[], options: VerifyOptions = log) => verifyExport(lines, options);
    const without = (index: number) => whole.toSpliced(index, 1);

    expect(await outcome(without(rows[9] ?? 0))).toMatchObject({
      outcome: 'broken',
      problem: { sequence: 10, kind: 'gap' },
    });
    // A row that comes twice, and one that nobody wrote: no link of the chain leads to it.
    const forged = (whole[rows[3] ?? 0] ?? '').replace('Orders', 'Forged');
    for (const inserted of [whole[rows[3] ?? 0] ?? '', whole[rows[9] ?? 0] ?? '', forged]) {
      expect(await outcome(whole.toSpliced((rows[9] ?? 0) + 1, 0, inserted))).toMatchObject({
        outcome: 'broken',
        problem: { sequence: 11, kind: 'order' },
      });
    }
    const counted = whole.with(-1, (whole.at(-1) ?? '').replace('"count":40', '"count":41'));
    expect(await outcome(counted)).toMatchObject({ outcome: 'broken', problem: { kind: 'truncated' } });
    const swapped = whole.with(rows[4] ?? 0, whole[rows[5] ?? 0] ?? '').with(rows[5] ?? 0, whole[rows[4] ?? 0] ?? '');
    expect(await outcome(swapped)).toMatchObject({ outcome: 'broken', problem: { sequence: 5 } });
    const truncated = whole.toSpliced(rows[30] ?? 0, 10);
    expect(await outcome(truncated)).toMatchObject({ outcome: 'broken', problem: { sequence: 31, kind: 'truncated' } });
    const beheaded = whole.toSpliced(rows[0] ?? 0, 10);
    expect(await outcome(beheaded)).toMatchObject({ outcome: 'broken', problem: { sequence: 1, kind: 'removed' } });
    expect(await outcome(whole.slice(0, -1))).toMatchObject({ outcome: 'unverifiable', problem: null });
    expect(await outcome(whole, { keys: [] })).toMatchObject({ outcome: 'unverifiable' });
    const stranger = verifierOf(deriveCheckpointKey('cd'.repeat(32)));
    expect(await outcome(whole, { keys: [stranger] })).toMatchObject({
      outcome: 'broken',
      problem: { kind: 'signature' },
    });

    await fc.assert(
      fc.asyncProperty(fc.nat(39), fc.nat(), fc.integer({ min: 0, max: 6 }), async (row, at, bit) => {
        const index = rows[row] ?? 0;
        const bytes = Buffer.from(whole[index] ?? '');
        const place = at % bytes.length;
        bytes[place] = (bytes[place] ?? 0) ^ (1 << bit);
        const verdict = await outcome(whole.with(index, bytes.toString()));
        expect(verdict.outcome).toBe('broken');
        // The number of the first row may be what was changed.
        if (row > 0) expect(verdict.problem?.sequence).toBe(row + 1);
      }),
      { numRuns: 400 },
    );
  });

  it('is broken when the end was removed and signed again, once somebody kept a checkpoint', async () => {
    const log = await start();
    await log.append(10);
    await log.checkpoints.signAll();
    const before = await log.lines();
    const anchors = await log.keptNotes();
    expect(anchors).toHaveLength(1);
    const fork = await start();
    await fork.append(12);
    const forged = await fork.lines();
    expect(await verifyExport(forged, { keys: log.keys, anchors })).toMatchObject({ outcome: 'unverifiable' });
    expect(await verifyExport(forged, { keys: log.keys, kept: anchors[0] })).toMatchObject({
      outcome: 'broken',
      problem: { kind: 'register' },
    });
    expect(await verifyExport(before, { keys: log.keys, anchors })).toMatchObject({ outcome: 'holds' });
    const replayed = [
      ...before.slice(0, 8),
      JSON.stringify({ ...JSON.parse(before.at(-1) ?? ''), signedCheckpoint: null }),
    ];
    expect(await verifyExport(replayed, { keys: log.keys, anchors })).toMatchObject({
      outcome: 'broken',
      problem: { sequence: 8, kind: 'truncated' },
    });
  });

  it('holds without the rows whose retention is over, and not without others', async () => {
    const log = await start();
    await log.append(30, { recordIds: ['old'] });
    log.time.pass(40 * dayMs);
    await log.append(5, { recordIds: ['new'] });
    await log.checkpoints.signAll();
    log.time.pass(dayMs);
    await log.removeExpired(31);
    await log.removeExpired(31);
    const chain = await log.chain();
    expect(chain).toMatchObject({ firstSequence: 31, headSequence: 36 });
    const lines = await log.lines();
    expect(await verifyExport(lines, log)).toMatchObject({ outcome: 'holds', first: 31, last: 36 });
    const found = async (recordId: string) =>
      (await readLog(log.store.db, chain, { recordId }, { limit: 50, order: 'asc' })).rows.length;
    expect([await found('old'), await found('new')]).toEqual([0, 5]);
    expect(await log.store.db.selectFrom('auditMonths').selectAll().orderBy('month').execute()).toEqual([
      { month: 202602 },
      { month: monthOfProvisioning },
    ]);

    const isTombstone = (line: string) => line.includes('"object":"tombstone"');
    expect(lines.filter(isTombstone)).toHaveLength(1);
    const forged = lines.map((line) => (isTombstone(line) ? line.replace('"to":30', '"to":31') : line));
    expect(await verifyExport(forged, log)).toMatchObject({ outcome: 'broken' });
    expect(await verifyExport(lines.toSpliced(1, 1), log)).toMatchObject({
      outcome: 'broken',
      problem: { kind: 'removed' },
    });
  });

  it('holds without its oldest months, which PostgreSQL drops whole, and keeps each month that the log needs', async () => {
    const log = await start();
    const month = () => Number(new Date(log.time.clock.now()).toISOString().slice(0, 7).replace('-', ''));
    const first = month();
    await log.append(30, { recordIds: ['old'] });
    log.time.pass(70 * dayMs);
    await log.append(5, { recordIds: ['new'] });
    await log.checkpoints.signAll();
    log.time.pass(dayMs);
    const { db } = log.store;
    if (engine === 'postgres') {
      const named = sql<string>`tableoid::regclass::text`.as('partition');
      const { partition } = await db
        .selectFrom('auditRows')
        .select(named)
        .where('month', '=', first)
        .executeTakeFirstOrThrow();
      const [schema = ''] = partition.split('.');
      await log.store.transaction(async (transaction) => {
        const raise = `create function ${schema}.no_row() returns trigger language plpgsql as $$ begin raise exception 'a row'; end $$`;
        await sql.raw(raise).execute(transaction.db);
        const onDelete = `before delete on ${partition} for each row execute function ${schema}.no_row()`;
        await sql.raw(`create trigger no_row ${onDelete}`).execute(transaction.db);
      });
    }
    await log.removeExpired(31);
    const { id } = await log.chain();
    const ofLog = async (table: 'auditRows' | 'auditRecords') =>
      db.selectFrom(table).select('sequence').where('chainId', '=', id).where('sequence', '<=', 30).execute();
    expect([await ofLog('auditRows'), await ofLog('auditRecords')]).toEqual([[], []]);
    expect(await verifyExport(await log.lines(), log)).toMatchObject({ outcome: 'holds', first: 31, last: 36 });
    const dropped = log.store.transaction(async (transaction) => {
      await transaction.db.deleteFrom('auditMonths').where('month', '=', month()).execute();
    });
    await expect(dropped).rejects.toThrow(
      engine === 'postgres' ? /the audit log has rows of this month/ : /foreign key/,
    );
    expect(await verifyExport(await log.lines(), log)).toMatchObject({ outcome: 'holds', first: 31, last: 36 });
  });

  it('shows its place in the register, which holds beside the checkpoints of all logs', async () => {
    const log = await start();
    await log.append(3);
    await log.checkpoints.signAll();
    const lines = await log.lines();
    const anchors = await log.allNotes();
    expect(anchors.length).toBeGreaterThan(2);
    const verify = (given: readonly string[], options: Partial<VerifyOptions> = {}) =>
      verifyExport(given, { keys: log.keys, anchors, ...options });
    expect(await verify(lines, { environment: 'development' })).toMatchObject({ outcome: 'holds', rows: 3 });
    expect(await verify(lines, { environment: 'production' })).toMatchObject({ problem: { kind: 'register' } });

    const [first = ''] = lines;
    const begin = JSON.parse(first) as { readonly register: ExportedRegister };
    const { register } = begin;
    const changed = (rows: ExportedRegister['rows']) =>
      lines.with(0, JSON.stringify({ ...begin, register: { ...register, rows } }));
    // The rows of other logs are digests, which tell nothing and prove the order all the same.
    expect(register.rows.map((row) => Object.keys(row)[0])).toEqual(['leaf', 'leaf', 'body', 'body']);
    for (const rows of [
      register.rows.slice(1),
      register.rows.slice(0, -1),
      register.rows.toReversed(),
      register.rows.map((row) => ('body' in row ? { body: row.body.replace('development', 'production') } : row)),
      register.rows.map((row) => ('leaf' in row ? { leaf: '0'.repeat(64) } : row)),
    ]) {
      expect(await verify(changed(rows))).toMatchObject({ outcome: 'broken', problem: { kind: 'register' } });
    }
    const other = await start();
    await other.append(1);
    const [stranger = ''] = await other.lines();
    const { register: strange } = JSON.parse(stranger) as { readonly register: ExportedRegister };
    const replaced = lines.with(0, JSON.stringify({ ...begin, register: strange }));
    expect(await verify(replaced)).toMatchObject({ outcome: 'broken', problem: { kind: 'register' } });
  });

  it('is signed every hour of silence, and after a minute when it grows', async () => {
    const log = await start();
    const count = async () => (await log.keptNotes()).length;
    await log.append(1);
    await log.checkpoints.signDue();
    expect(await count()).toBe(1);
    await log.append(1);
    await log.checkpoints.signDue();
    expect(await count()).toBe(1);
    log.time.pass(61_000);
    await log.checkpoints.signDue();
    expect(await count()).toBe(2);
    log.time.pass(59 * 60_000);
    await log.checkpoints.signDue();
    expect(await count()).toBe(2);
    log.time.pass(60_000);
    await log.checkpoints.signDue();
    expect(await count()).toBe(3);
  });

  it('has rows that the store neither changes nor removes', async () => {
    const log = await start();
    await log.append(2);
    const change = log.store.transaction(async ({ db }) => {
      await db.updateTable('auditRows').set({ userId: 9 }).execute();
    });
    await expect(change).rejects.toThrow();
    const removal = log.store.transaction(async ({ db }) => {
      await db.deleteFrom('auditRows').execute();
    });
    await expect(removal).rejects.toThrow();
    expect(await verifyExport(await log.lines(), log)).toMatchObject({ outcome: 'holds', rows: 2 });
  });
});
