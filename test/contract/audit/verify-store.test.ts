import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { removeExpired } from '#platform/audit/retention';
import { verifyStore } from '#platform/audit/verify-store';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const dayMs = 24 * 60 * 60_000;
const platformKey = 'ab'.repeat(32);
const engines = useStoreEngines();

it.each(engines)('a store holds on $engine, also without rows whose retention is over', async ({ newPlace }) => {
  const place = await newPlace();
  const { store, environmentId } = await auditedEnvironment(await openTestStore(place));
  const owner = { kind: 'activity', environmentId: environmentId.current } as const;
  const key = deriveCheckpointKey(platformKey);
  const time = createManualTime();
  const parts = { clock: time.clock, random: systemRandom };
  const append = () =>
    store.transaction(async (transaction) => {
      const writer = await openChain(transaction, owner, parts);
      for (let index = 0; index < 20; index++) writer.add(activityEntry());
      await writer.write();
    });
  const checkpoints = createCheckpoints({ store, clock: time.clock, key, keep: async () => undefined });
  await append();
  time.pass(38 * dayMs);
  await checkpoints.signDue();
  // The platform believes its clock after a day.
  time.pass(2 * dayMs);
  await append();
  await checkpoints.signAll();
  const verify = (key = platformKey) => verifyStore(place, { platformKey: key, anchors: [] });
  const outcomes = async () => (await verify()).logs.map(({ outcome }) => outcome);
  expect(await outcomes()).toEqual(['holds', 'holds']);
  await removeExpired({ store, key, retention: { activityDays: 31 }, ...parts });
  await checkpoints.signAll();
  expect(await verify()).toMatchObject({
    logs: [{ outcome: 'holds' }, { outcome: 'holds', first: 21, last: 41, rows: 21 }],
    register: { outcome: 'holds', rows: 4 },
  });
  const other = await verify('cd'.repeat(32));
  expect(other.logs.map(({ problem }) => problem?.kind)).toEqual(['signature', 'signature']);
});

it.each([
  ['a column that rows are found by', "update audit_rows set collection = 'other' where sequence = 3", 'column', 3],
  ['another one', 'update audit_rows set user_id = 99 where sequence = 4', 'column', 4],
  ['a time', 'update audit_rows set created_at = created_at + 1 where sequence = 5', 'column', 5],
  ['a row', "update audit_rows set body = replace(body, 'orders', 'other') where sequence = 6", 'hash', 6],
  ['a row that is gone', 'delete from audit_rows where sequence = 7', 'gap', 7],
  ['the last rows that are gone', 'delete from audit_rows where sequence > 15', 'truncated', 16],
  ['records that are gone', 'delete from audit_records where sequence = 9', 'column', 1],
  ['a shorter head', 'update audit_chains set head_sequence = 15', 'truncated', 21],
])('a store is broken by %s', async (_what, statement, kind, sequence) => {
  const [sqlite] = engines;
  const place = await sqlite?.newPlace();
  if (place?.dialect !== 'sqlite') throw new TypeError('The first engine is SQLite.');
  const { store, environmentId } = await auditedEnvironment(await openTestStore(place));
  await store.transaction(async (transaction) => {
    const owner = { kind: 'activity', environmentId: environmentId.current } as const;
    const writer = await openChain(transaction, owner, { clock: systemClock, random: systemRandom });
    for (let index = 0; index < 20; index++) writer.add(activityEntry());
    await writer.write();
  });
  const key = deriveCheckpointKey(platformKey);
  await createCheckpoints({ store, clock: systemClock, key, keep: async () => undefined }).signAll();
  const thief = await openSqlite(place.storage);
  thief.execute('drop trigger audit_rows_are_final; drop trigger audit_rows_stay; pragma foreign_keys = off');
  const where = `chain_id in (select id from audit_chains where kind = 'activity')`;
  const onActivity = statement.includes('audit_chains')
    ? `${statement} where kind = 'activity'`
    : `${statement} and ${where}`;
  thief.execute(onActivity);
  thief.close();
  const { logs: verdicts } = await verifyStore(place, { platformKey, anchors: [] });
  expect(verdicts.map(({ outcome }) => outcome).sort()).toEqual(['broken', 'holds']);
  expect(verdicts.find(({ outcome }) => outcome === 'broken')?.problem).toMatchObject({ kind, sequence });
});
