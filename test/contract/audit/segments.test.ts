import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { isContinued } from '#contracts/audit/merkle-tree';
import type { RegisterEntry } from '#contracts/audit/register';
import { verifyRowProof } from '#contracts/audit/row-proof';
import type { AuditEntry } from '#contracts/audit/rows';
import { readSegment, type Segment } from '#contracts/audit/segment';
import { cosign, cosignerKeyOf, cosignerOf, signSegment, verifierOf } from '#contracts/audit/signing';
import { silentLogger } from '#kernel/ports/logger';
import { systemRandom } from '#node/system/system-random';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { keepCosignature } from '#platform/audit/cosignatures';
import { proveAct } from '#platform/audit/prove-act';
import { adoptChains } from '#platform/audit/register';
import { removeExpired } from '#platform/audit/retention';
import { continuation, createSegmentKeeper, listSegments, noteOfMonth, settleSegments } from '#platform/audit/segments';
import { verifyStore } from '#platform/audit/verify-store';
import type { Store } from '#platform/store/store';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const dayMs = 24 * 60 * 60_000;
const platformKey = 'ab'.repeat(32);
const key = deriveCheckpointKey(platformKey);
const keys = [verifierOf(key)];

describe.each(useStoreEngines())('the segments of a log on $engine', ({ newPlace, engine }) => {
  /** A log whose time the test decides: it begins on the first of January. */
  async function start() {
    const place = await newPlace();
    const { store, environmentId } = await auditedEnvironment(await openTestStore(place));
    const time = createManualTime();
    const owner = { kind: 'activity', environmentId: environmentId.current } as const;
    const parts = { store, clock: time.clock, key, random: systemRandom, logger: silentLogger };
    const checkpoints = createCheckpoints({ ...parts, keep: async () => undefined });
    const ids: string[] = [];
    const chain = async () => {
      const found = await findChain(store.db, owner);
      if (!found) throw new Error('There is no chain.');
      return found;
    };
    const add = (entries: readonly AuditEntry[]) =>
      store.transaction(async (transaction) => {
        const writer = await openChain(transaction, owner, parts);
        for (const entry of entries) writer.add(entry);
        await writer.write();
      });
    return {
      ...{ place, store, time, parts, checkpoints, ids, chain },
      keeper: createSegmentKeeper(parts),
      add,
      append: (count: number) => {
        const entries = Array.from({ length: count }, () => activityEntry());
        ids.push(...entries.map(({ id }) => id));
        return add(entries);
      },
      months: async () =>
        (await listSegments(store.db, await chain())).map(({ month, first, last, note }) => ({
          month,
          first,
          last,
          isSigned: note !== null,
        })),
      registered: async () => {
        const rows = await store.db.selectFrom('auditRegister').select('body').orderBy('sequence').execute();
        return rows.slice(1).map(({ body }) => (JSON.parse(body) as RegisterEntry).object);
      },
      removeExpired: (activityDays: number) => removeExpired({ ...parts, retention: { activityDays } }),
      proof: async (id: string) => proveAct(parts, await chain(), id),
      verify: async () => {
        const { logs, register } = await verifyStore(place, { platformKey, anchors: [] });
        return [...logs, register].map((verdict) => verdict?.problem?.message ?? verdict?.outcome);
      },
    };
  }

  it('are signed when their month is over, and go on from one another', async () => {
    const { append, time, keeper, months, checkpoints, verify, store, chain } = await start();
    await append(20);
    await keeper.settleAll();
    expect(await months()).toEqual([{ month: '2026-01', first: 1, last: 20, isSigned: false }]);
    time.pass(40 * dayMs);
    await append(5);
    await keeper.settleAll();
    await checkpoints.signAll();
    expect(await months()).toEqual([
      { month: '2026-01', first: 1, last: 20, isSigned: true },
      { month: '2026-02', first: 21, last: 25, isSigned: false },
    ]);
    // Nobody acts in March.
    time.pass(60 * dayMs);
    await keeper.settleAll();
    await append(1);
    time.pass(90 * dayMs);
    await keeper.settleAll();
    await checkpoints.signAll();
    const segments = (await listSegments(store.db, await chain())).map(({ note }) => readSegment(note ?? ''));
    expect(segments.map((segment) => segment?.month)).toEqual(['2026-01', '2026-02', '2026-04']);
    expect(segments.map((segment) => segment?.before).slice(1)).toEqual(
      segments.map((segment) => segment?.end).slice(0, -1),
    );
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
  });

  it('prove an act whose rows are of two months', async () => {
    const { add, time, keeper, proof } = await start();
    const act = activityEntry({ status: 'pending', durationMs: null });
    await add([act]);
    time.pass(40 * dayMs);
    await add([
      activityEntry(),
      { object: 'activityLogOutcome', id: act.id, actSequence: 1, status: 'failed', durationMs: 3 },
    ]);
    await keeper.settleAll();
    const proved = await proof(act.id);
    if (!proved?.further) throw new Error('There is no proof.');
    expect([proved.note, proved.further[0]?.note].map((note = '') => readSegment(note)?.month)).toEqual([
      '2026-01',
      '2026-02',
    ]);
    expect(verifyRowProof(proved, keys)).toMatchObject({
      outcome: 'holds',
      further: [{ sequence: 3, status: 'failed' }],
      gaps: [],
    });
    const [{ note: _note, ...further }] = proved.further as [NonNullable<typeof proved.further>[number]];
    expect(verifyRowProof({ ...proved, further: [further] }, keys).outcome).toBe('broken');
  });

  it('are registered with their log', async () => {
    const { append, registered } = await start();
    expect(await registered()).toEqual(['chain', 'segments']);
    await append(1);
    expect(await registered()).toEqual(['chain', 'segments', 'chain', 'segments']);
  });

  it('prove each of their rows, also while the month goes on', async () => {
    const { append, time, keeper, proof, ids, verify, checkpoints } = await start();
    const prove = async (id = '') => {
      const found = await proof(id);
      if (!found) throw new Error('There is no such row.');
      const { outcome, row, segment } = verifyRowProof(found, keys);
      return { outcome, id: row?.id, size: segment?.size, steps: found.path.length };
    };
    await append(600);
    await keeper.settleAll();
    await append(1);
    for (const index of [0, 255, 256, 511, 512, 599, 600]) {
      expect(await prove(ids[index])).toEqual({
        outcome: 'holds',
        id: ids[index],
        size: 601,
        steps: expect.any(Number),
      });
    }
    expect((await prove(ids[0])).steps).toBe(10);
    time.pass(40 * dayMs);
    await append(3);
    await keeper.settleAll();
    expect(await prove(ids[300])).toMatchObject({ outcome: 'holds', id: ids[300], size: 601 });
    expect(await prove(ids[602])).toMatchObject({ outcome: 'holds', id: ids[602], size: 3 });
    await checkpoints.signAll();
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
    const [proofOf, otherProof] = [await proof(ids[1] ?? ''), await proof(ids[2] ?? '')];
    if (!proofOf || !otherProof) throw new Error('There is no proof.');
    for (const changed of [
      { ...proofOf, body: proofOf.body.replace('orders', 'order5') },
      { ...proofOf, index: proofOf.index + 1 },
      { ...proofOf, path: otherProof.path },
      { ...proofOf, path: proofOf.path.slice(1) },
      { ...proofOf, note: proofOf.note.replace('\n601\n', '\n602\n').replace('last 601', 'last 602') },
    ]) {
      expect(verifyRowProof(changed, keys).outcome).toBe('broken');
    }
    expect(verifyRowProof(proofOf, []).outcome).toBe('unverifiable');
    expect(verifyRowProof(proofOf, [verifierOf(deriveCheckpointKey('cd'.repeat(32)))]).problem?.kind).toBe('signature');
    expect(await proof(systemRandom.uuid())).toBeUndefined();
  });

  it('prove the rows that are left when retention has removed those before them, and rows stay until they are signed', async () => {
    const {
      append,
      time,
      keeper,
      proof,
      ids,
      verify,
      checkpoints,
      removeExpired: remove,
      chain,
      months,
    } = await start();
    await append(500);
    time.pass(5 * dayMs);
    await append(400);
    time.pass(25 * dayMs);
    await checkpoints.signAll();
    time.pass(3 * dayMs + 60_000);
    await append(1);
    await keeper.settleAll();
    await checkpoints.signAll();
    // Two days and a moment later the first 500 rows are older than 30 days; those of five days later are not.
    await remove(30);
    expect((await chain()).firstSequence).toBe(501);
    await checkpoints.signAll();
    for (const index of [500, 511, 512, 899]) {
      const found = await proof(ids[index] ?? '');
      expect(found && verifyRowProof(found, keys)).toMatchObject({ outcome: 'holds', row: { id: ids[index] } });
    }
    expect(await proof(ids[499] ?? '')).toBeUndefined();
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
    time.pass(10 * dayMs);
    await checkpoints.signAll();
    await remove(30);
    expect((await chain()).firstSequence).toBe(901);
    await append(1);
    await checkpoints.signAll();
    expect((await months())[0]).toEqual({ month: '2026-01', first: 1, last: 900, isSigned: true });
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
  });

  it('go on from one another as the month grows, which a short proof shows', async () => {
    const { append, parts, store, chain } = await start();
    const segmentNow = async (): Promise<Segment> => {
      const segment = readSegment((await noteOfMonth(parts, await chain(), '2026-01')) ?? '');
      if (!segment) throw new Error('There is no segment.');
      return segment;
    };
    let before: Segment | undefined;
    for (const count of [1, 299, 256, 1, 700]) {
      await append(count);
      const now = await segmentNow();
      const proof = await continuation(store.db, await chain(), now, before?.size ?? 0);
      expect(isContinued(before ?? { size: 0, root: now.root }, now, proof)).toBe(true);
      before = now;
    }
    await expect(continuation(store.db, await chain(), before as Segment, 5_000)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
    expect(await noteOfMonth(parts, await chain(), '2026-02')).toBeUndefined();
  });

  it('are made of an older store, where the work stopped and by two processes at once', async () => {
    const { append, time, store, keeper, parts, chain, verify, months, checkpoints, registered } = await start();
    await append(700);
    time.pass(40 * dayMs);
    await append(300);
    time.pass(40 * dayMs);
    await append(2);
    // Version 0.1.0 had no register.
    await store.transaction(async ({ db }) => {
      const guard =
        engine === 'sqlite'
          ? 'audit_register_is_final_on_delete'
          : 'audit_register_is_final on vendor_cloud.audit_register';
      await sql.raw(`drop trigger ${guard}`).execute(db);
      await db.deleteFrom('auditRegister').execute();
    });
    await adoptChains(store, parts);
    await checkpoints.signAll();
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
    expect(await registered()).toEqual(['chain', 'chain']);
    const stopped = new AbortController();
    stopped.abort();
    await settleSegments({ ...parts, signal: stopped.signal }, await chain());
    expect(await months()).toEqual([{ month: '2026-01', first: 1, last: 700, isSigned: false }]);
    await Promise.all([settleSegments(parts, await chain()), settleSegments(parts, await chain())]);
    await keeper.settleAll();
    await checkpoints.signAll();
    expect((await months()).map(({ month, isSigned }) => [month, isSigned])).toEqual([
      ['2026-01', true],
      ['2026-02', true],
      ['2026-03', false],
    ]);
    const nodes = await store.db.selectFrom('auditNodes').select(['month', 'position']).orderBy('month').execute();
    expect(nodes.map(({ month, position }) => [month, position])).toEqual([
      [202_601, 0],
      [202_601, 1],
      [202_602, 0],
    ]);
    expect(await registered()).toEqual(['chain', 'chain', 'segments', 'segments']);
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
  });

  it('are signed again when a wrong clock had them signed too early', async () => {
    const { append, time, keeper, months, parts, chain, verify, checkpoints } = await start();
    await append(300);
    const later = { ...parts, clock: { now: () => time.clock.now() + 400 * dayMs } };
    await settleSegments(later, await chain());
    expect((await months()).map(({ isSigned }) => isSigned)).toEqual([true]);
    await append(300);
    await keeper.settleAll();
    await checkpoints.signAll();
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
    time.pass(40 * dayMs);
    await append(1);
    await keeper.settleAll();
    await checkpoints.signAll();
    expect(await months()).toEqual([
      { month: '2026-01', first: 1, last: 600, isSigned: true },
      { month: '2026-02', first: 601, last: 601, isSigned: false },
    ]);
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
  });

  it('must be what another machine has signed', async () => {
    const { append, store, parts, chain, verify, checkpoints, place } = await start();
    await append(300);
    await checkpoints.signAll();
    const note = (await noteOfMonth(parts, await chain(), '2026-01')) ?? '';
    const segment = readSegment(note);
    if (!segment) throw new Error('There is no segment.');
    const witness = cosignerKeyOf('witness.example', '11'.repeat(32));
    const cosigned = (signed: string) => cosign(signed, witness, 1_793_000_000);
    const keep = async (signed: string) =>
      keepCosignature(
        parts,
        { projectId: 1, findChain: () => chain() },
        { note: cosigned(signed), cosigner: cosignerOf(witness) },
      );
    await keep(note);
    await append(10);
    await checkpoints.signAll();
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
    // Who has the key of the platform wrote the log again after another one was signed.
    const other = signSegment({ ...segment, root: '0'.repeat(64), at: '2026-01-02T00:00:00.000Z' }, key);
    const { logs } = await verifyStore(place, { platformKey, anchors: [cosigned(other)] });
    expect(logs.map(({ problem }) => problem?.message)).toContain(
      'The rows of 2026-01 are not those that were signed as its segment.',
    );
    await keep(other);
    expect((await verify()).join()).toContain('not those that were signed');
    const longer = signSegment({ ...segment, size: 400, last: 400, at: '2026-01-03T00:00:00.000Z' }, key);
    // What was signed before a restore is not a sign of an attack.
    await expect(keep(longer)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    await store.transaction(({ db }) =>
      db
        .updateTable('auditCosignatures')
        .set({ note: cosigned(longer) })
        .execute(),
    );
    expect((await verify()).join()).toContain('had 400 rows once, and has 310 now');
  });

  it.each<readonly [string, (db: Store['db']) => Promise<unknown>, RegExp]>([
    [
      'a segment that is gone',
      (db) => db.deleteFrom('auditSegments').where('month', '=', 202_601).execute(),
      /begins with row 1 is missing/,
    ],
    [
      'a note that was changed',
      async (db) => {
        const { note } = await db.selectFrom('auditSegments').select('note').limit(1).executeTakeFirstOrThrow();
        await db
          .updateTable('auditSegments')
          .set({ note: note.replace('first 1\nlast 600', 'first 2\nlast 601') })
          .where('note', '=', note)
          .execute();
      },
      /not signed by a known key/,
    ],
    [
      'a node that was changed',
      (db) =>
        db
          .updateTable('auditNodes')
          .set({ hash: '0'.repeat(64) })
          .where('position', '=', 1)
          .execute(),
      /nodes of a segment/,
    ],
    [
      'a node that is gone',
      (db) => db.deleteFrom('auditNodes').where('position', '=', 0).execute(),
      /nodes of a segment/,
    ],
  ])('are found broken by %s', async (_what, change, message) => {
    const { append, time, keeper, checkpoints, verify, store } = await start();
    await append(600);
    time.pass(40 * dayMs);
    await keeper.settleAll();
    await append(600);
    await keeper.settleAll();
    time.pass(60_000);
    await checkpoints.signAll();
    expect(await verify()).toEqual(['holds', 'holds', 'holds']);
    await store.transaction(({ db }) => change(db));
    expect((await verify()).join()).toMatch(message);
  });
});
