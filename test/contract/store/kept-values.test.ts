import { describe, expect, it } from 'vitest';
import { verifierOf } from '#contracts/audit/signing';
import { verifyExport } from '#contracts/audit/verify-export';
import type { ActivityValues } from '#contracts/history';
import { createSealedTexts } from '#node/system/secrets';
import { systemRandom } from '#node/system/system-random';
import { createActivityService } from '#platform/activity/activity-service';
import { createRecordHistories } from '#platform/activity/kept-records';
import { findChain } from '#platform/audit/audit-chains';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { erasePersonFromLogs, findPersonInLogs } from '#platform/audit/erase-person';
import { exportAsLines } from '#platform/audit/export-chain';
import { removeExpired } from '#platform/audit/retention';
import { verifyStore } from '#platform/audit/verify-store';
import type { EnvironmentRecord } from '#platform/identity/identity-repository';
import { activity } from '../../helpers/audit-api.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { platformKey, sealedValues } from '../../helpers/sealed-values.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { auditedEnvironment } from '../audit/audited-environment.ts';

const key = deriveCheckpointKey(platformKey);
const dayMs = 24 * 60 * 60_000;

/** Values of one record that was changed. */
function valuesFor(id: string, recordIds: readonly string[], note: string): ActivityValues {
  const records = recordIds.map((recordId) => ({
    ...{ recordId, before: { note }, after: { note: 'new' } },
    unkept: { photo: 'binary' as const },
  }));
  return { id, values: { records } };
}

describe.each(useStoreEngines())('values of records on $engine', ({ newPlace }) => {
  async function start() {
    const place = await newPlace();
    const { clock, pass } = createManualTime();
    const { store, environmentId } = await auditedEnvironment(await openTestStore(place), clock);
    const environment = { id: environmentId.current, name: 'Development' } as EnvironmentRecord;
    const parts = { clock, random: systemRandom };
    const activities = createActivityService(store, {
      ...parts,
      news: { tell: () => undefined },
      sealed: sealedValues,
    });
    const checkpoints = createCheckpoints({ store, clock, key, keep: async () => undefined });
    const history = (recordId: string, sealed = sealedValues) =>
      createRecordHistories(store.db, sealed).of(environment.id, { collection: 'orders', recordId, limit: 20 });
    return {
      ...{ store, parts, pass, history, checkpoints },
      report: (...entries: Parameters<typeof activities.record>[1]) => activities.record(environment, entries),
      async problem() {
        await checkpoints.signAll();
        const { logs } = await verifyStore(place, { platformKey, anchors: [] });
        return logs.find((verdict) => verdict.problem)?.problem ?? null;
      },
      async exported() {
        const chain = await findChain(store.db, { kind: 'activity', environmentId: environment.id });
        if (!chain) throw new Error('There is no log.');
        let text = '';
        const input = { chain, after: 0, maxRows: 1e6, signer: { key, checkpoints }, cursorAt: String };
        for await (const part of exportAsLines(store.db, input)) text += part;
        return text.trimEnd().split('\n');
      },
    };
  }

  it('are opened for agents, each once and for its record only', async () => {
    const { report, history, problem, store } = await start();
    const act = activity({ recordIds: ['1', '2'], recordCount: 2 });
    const values = valuesFor(act.id, ['1', '2'], 'secret text');
    await report(act, values);
    await report(act, values);
    const unkept = activity({ recordIds: ['1'] });
    await report(unkept, { id: unkept.id, values: { unkept: 'tooMany' } });
    await report(activity({ recordIds: ['1'] }), activity({ recordIds: ['1'], status: 'failed' }));
    const { writes } = await history('1');
    expect(writes.map((write) => [write.values, write.missing])).toEqual([
      [null, null],
      [null, 'tooMany'],
      [{ before: { note: 'secret text' }, after: { note: 'new' }, unkept: { photo: 'binary' } }, null],
    ]);
    expect(writes[2]).toMatchObject({ id: act.id, action: 'update', status: 'completed' });
    expect(await problem()).toBeNull();
    const rows = await store.db.selectFrom('auditValues').selectAll().execute();
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('secret');
    const [first, second] = rows.map(({ sealed }) => sealed);
    // A text that somebody has put in the place of another one counts for nothing.
    for (const [place, sealed] of [second, first].entries()) {
      await store.transaction(({ db }) =>
        db
          .updateTable('auditValues')
          .set({ sealed: sealed ?? '' })
          .where('place', '=', place)
          .execute(),
      );
    }
    expect((await history('1')).writes[2]).toMatchObject({ values: null, missing: 'unreadable' });
    expect(await problem()).toMatchObject({ kind: 'column' });
  });

  it('are in no export, which holds, and cannot be read with another key', async () => {
    const { report, history, exported } = await start();
    const act = activity({ recordIds: ['1'] });
    await report({ ...act, status: 'pending', durationMs: null }, { ...act, status: 'completed' });
    await report(valuesFor(act.id, ['1'], 'secret text'));
    const lines = await exported();
    expect(lines.join()).not.toContain('secret text');
    expect(lines.find((line) => line.includes('"kept"'))).toContain('"salts":{"kept.0":');
    expect(await verifyExport(lines, { keys: [verifierOf(key)] })).toMatchObject({ outcome: 'holds' });
    expect((await history('1')).writes).toMatchObject([{ values: { before: { note: 'secret text' } } }]);
    const other = createSealedTexts('cd'.repeat(32), 'values of records');
    expect((await history('1', other)).writes).toMatchObject([{ values: null, missing: 'unreadable' }]);
  });

  it('are erased with a person whose address is in them, and the log holds', async () => {
    const { report, history, problem, exported, store, parts } = await start();
    const ids = ['1', '2', '3'];
    const act = activity({ recordIds: ids, recordCount: 3 });
    const { values } = valuesFor(act.id, ids, 'n');
    if (!('records' in values)) throw new Error('There are records.');
    const [one, two, three] = values.records;
    if (!one || !two || !three) throw new Error('There are three.');
    const named = { ...two, before: { note: 'Write to "Grace@Example.test".' } };
    await report(act, { id: act.id, values: { records: [one, named, three] } });
    expect(await findPersonInLogs(store, 'grace@example.test', sealedValues)).toMatchObject([
      { rows: 0, keptValues: 1 },
    ]);
    const erasure = { ...parts, key, reference: 'T-18', by: 'root@host', sealed: sealedValues };
    expect(await erasePersonFromLogs(store, 'grace@example.test', erasure)).toMatchObject([{ keptValues: 1 }]);
    expect((await history('2')).writes).toMatchObject([{ values: null, missing: 'erased' }]);
    expect((await history('1')).writes).toMatchObject([{ values: { before: { note: 'n' } } }]);
    expect(await problem()).toBeNull();
    const lines = await exported();
    expect(await verifyExport(lines, { keys: [verifierOf(key)] })).toMatchObject({ outcome: 'holds' });
    expect(lines.find((line) => line.includes('"object":"erasure"'))).toContain('"kept.1":');
    expect(await findPersonInLogs(store, 'grace@example.test', sealedValues)).toEqual([]);
    await store.transaction(({ db }) => db.deleteFrom('auditValues').where('recordId', '=', '3').execute());
    expect(await problem()).toMatchObject({ kind: 'column' });
  });

  it('go with the rows of the log', async () => {
    const { report, store, parts, pass, checkpoints, problem } = await start();
    const act = activity({ recordIds: ['1'] });
    await report(act, valuesFor(act.id, ['1'], 'old'));
    await checkpoints.signAll();
    pass(80 * dayMs);
    const newer = activity({ recordIds: ['1'] });
    await report(newer, valuesFor(newer.id, ['1'], 'newer'));
    await checkpoints.signAll();
    pass(dayMs);
    await checkpoints.signAll();
    pass(dayMs);
    await removeExpired({ store, ...parts, key, retention: { activityDays: 31 } });
    expect(await store.db.selectFrom('auditValues').select('recordId').execute()).toHaveLength(1);
    expect(await problem()).toBeNull();
  });
});
