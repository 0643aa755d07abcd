import { expect, it } from 'vitest';
import { systemRandom } from '#node/system/system-random';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { removeExpired } from '#platform/audit/retention';
import { createManualTime } from '../../helpers/manual-time.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { openTestStore, postgresPlace } from '../../helpers/store-engines.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const dayMs = 24 * 60 * 60_000;
const key = deriveCheckpointKey('ab'.repeat(32));
const server = usePostgresServer();

it('retention sends no delete to a table whose rows went with their month', async () => {
  const database = await server.createDatabase('create extension pg_stat_statements');
  const store = await openTestStore(postgresPlace(server, database));
  const { clock, pass } = createManualTime();
  const { environmentId } = await auditedEnvironment(store, clock);
  const append = (count: number, ageMs = 0) =>
    store.transaction(async (transaction) => {
      const owner = { kind: 'activity', environmentId: environmentId.current } as const;
      const then = { ...clock, now: () => clock.now() - ageMs };
      const writer = await openChain(transaction, owner, { clock: then, random: systemRandom });
      for (let index = 0; index < count; index++) writer.add(activityEntry());
      await writer.write();
    });
  // Three steps of removal, all of them in a month that goes as a whole: no other log has rows of it.
  await append(11_000, 90 * dayMs);
  await append(10);
  await createCheckpoints({ store, clock, key, keep: async () => undefined }).signAll();
  pass(2 * dayMs);
  await removeExpired({ store, clock, random: systemRandom, key, retention: { activityDays: 30 } });

  const left = async (table: string) =>
    (await server.execute(database, `select count(*)::int as count from vendor_cloud.${table}`))[0]?.['count'];
  expect([await left('audit_records'), await left('audit_rows where status is not null')]).toEqual([10, 10]);
  const deletesFrom = async (table: string) =>
    (
      await server.execute(
        database,
        `select coalesce(sum(calls), 0)::int as calls from pg_stat_statements where query like 'delete from "vendor_cloud"."${table}"%'`,
      )
    )[0]?.['calls'];
  expect([await deletesFrom('audit_records'), await deletesFrom('audit_rows')]).toEqual([3, 0]);
});
