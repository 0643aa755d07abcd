import { describe, expect, it } from 'vitest';
import { createSealedTexts } from '#node/system/secrets';
import { StoredApprovals } from '#platform/approvals/approval-repository';
import { adminLog, authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { followAdminLog } from '../../helpers/read-admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
const dayMs = 24 * 60 * 60_000;
const content = {
  recordIds: ['4'],
  values: { Reason: 'the secret of a customer' },
  shown: [{ id: '4', values: { ref: 'A-4' } }],
  timezone: 'UTC',
};

describe.each(useStoreEngines())('requests for approvals on $engine', ({ newPlace }) => {
  const open = async () => {
    const place = await newPlace();
    const store = await openTestStore(place);
    const time = createManualTime();
    const { environment, member } = await provisionIn(store, { project: 'shop', secretHash: 'secret', user: ada });
    const sealed = createSealedTexts('k'.repeat(64), 'requests for approvals');
    const approvals = new StoredApprovals({ store, sealed, clock: time.clock, adminLog });
    const author = authorNumbered(member.id);
    const ask = (more: object = {}) =>
      approvals.add(
        environment,
        { personId: member.id, collection: 'orders', action: 'Refund', content, ...more },
        author,
      );
    return { place, store, time, environment, member, approvals, author, ask };
  };

  it('keep values sealed, and forget them a month after the answer', async () => {
    const { store, time, approvals, author, ask, environment } = await open();
    const asked = await ask({ comment: 'It is due.' });
    const [kept] = await store.db.selectFrom('approvals').selectAll().execute();
    expect(JSON.stringify(kept)).not.toMatch(/secret of a customer|A-4/);
    expect(await approvals.content(asked.id)).toEqual(content);
    const runId = '00000000-0000-4000-8000-000000000001';
    await approvals.decide(asked, { state: 'granted', author, runId, comment: 'Go.' });
    expect(await approvals.result(asked.id)).toBeNull();
    const result = { type: 'success', message: 'Refunded the secret of a customer.' } as const;
    expect(await approvals.end(environment.id, asked.id, { runId, outcome: 'succeeded', result })).toBe(true);
    expect(JSON.stringify(await store.db.selectFrom('approvals').selectAll().execute())).not.toContain('Refunded');
    expect(await approvals.result(asked.id)).toEqual(result);
    time.pass(30 * dayMs - 1);
    await approvals.sweep();
    expect(await approvals.content(asked.id)).toEqual(content);
    time.pass(1);
    await approvals.sweep();
    expect([await approvals.content(asked.id), await approvals.result(asked.id)]).toEqual([null, null]);
    expect(await approvals.find(environment.id, asked.id)).toMatchObject({ state: 'granted', records: 1 });
    expect((await approvals.comments([asked.id])).map(({ body }) => body)).toEqual(['It is due.', 'Go.']);
  });

  it('are answered once, whoever answers at once', async () => {
    const { approvals, author, ask, environment } = await open();
    const runs = ['a', 'b', 'c'].map((each) => `00000000-0000-4000-8000-00000000000${each}`);
    for (const round of [1, 2, 3]) {
      const asked = await ask({ content: { ...content, recordIds: [String(round)] } });
      const answers = await Promise.allSettled([
        ...runs.map((runId) => approvals.decide(asked, { state: 'granted', author, runId })),
        approvals.decide(asked, { state: 'withdrawn', author }),
        approvals.decide(asked, { state: 'refused', author }),
      ]);
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { state, runId } = (await approvals.find(environment.id, asked.id)) ?? {};
      expect(['granted', 'withdrawn', 'refused']).toContain(state);
      if (state !== 'granted' || !runId) continue;
      // The run that it was granted to may ask again. Only that one tells its end.
      expect((await approvals.decide(asked, { state: 'granted', author, runId })).runId).toBe(runId);
      const others = runs.filter((each) => each !== runId);
      expect(await approvals.end(environment.id, asked.id, { runId: others[0] ?? '', outcome: 'failed' })).toBe(false);
      expect(await approvals.end(environment.id, asked.id, { runId, outcome: 'succeeded' })).toBe(true);
    }
  });

  it('are listed while they wait, however many newer ones were answered', async () => {
    const { store, time, approvals, ask, environment, member } = await open();
    const waiting = await ask();
    const now = time.clock.now();
    const answered = Array.from({ length: 500 }, () => ({
      ...{ environmentId: environment.id, userId: member.id, collection: 'orders', action: 'Refund', records: 1 },
      ...{ digest: '', state: 'refused' as const, askedAt: now, decidedAt: now },
    }));
    await store.transaction(({ db }) => db.insertInto('approvals').values(answered).execute());
    const ids = (await approvals.list(environment.id)).map(({ id }) => id);
    expect(ids).toHaveLength(500);
    expect(ids.at(-1)).toBe(waiting.id);
    expect(ids).toEqual(ids.toSorted((one, other) => other - one));
  });

  it('are one where the same waits already, and 50 of one person at most', async () => {
    const { approvals, ask, environment, author } = await open();
    const [one, same] = await Promise.all([ask(), ask()]);
    expect(same.id).toBe(one.id);
    for (let number = 1; number < 50; number++)
      await ask({ content: { ...content, recordIds: [String(100 + number)] } });
    await expect(ask({ action: 'Other' })).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    await approvals.decide(one, { state: 'withdrawn', author });
    expect((await ask()).id).not.toBe(one.id);
    expect(await approvals.list(environment.id)).toHaveLength(51);
  });

  it('lapse after a week, and are in the log of changes without a value', async () => {
    const { place, time, approvals, author, ask, environment } = await open();
    const granted = await ask({ comment: 'It is due.' });
    await approvals.decide(granted, { state: 'granted', author, runId: '00000000-0000-4000-8000-00000000000a' });
    const late = await ask();
    time.pass(7 * dayMs);
    expect((await approvals.find(environment.id, late.id))?.state).toBe('lapsed');
    await expect(approvals.decide(late, { state: 'refused', author })).rejects.toMatchObject({
      code: 'REQUEST_CONFLICT',
    });
    await Promise.all([approvals.sweep(), approvals.sweep()]);
    const readNew = await followAdminLog(place);
    const rows = (await readNew()).filter(({ resource }) => resource === 'approval');
    const told = { collection: 'orders', action: 'Refund', records: 1, user: { email: ada.email } };
    expect(rows).toMatchObject([
      { type: 'add', initiator: 'administrator', newValue: { ...told, id: granted.id, state: 'asked' } },
      { type: 'update', previousValue: { state: 'asked' }, newValue: { ...told, state: 'granted' } },
      { type: 'add', newValue: { ...told, id: late.id, state: 'asked' } },
      { type: 'update', initiator: 'platform', newValue: { ...told, id: late.id, state: 'lapsed' } },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/secret of a customer|A-4|It is due/);
  });
});
