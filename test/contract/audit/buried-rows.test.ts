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

/** A log on PostgreSQL, and what is left of it. */
async function startLog(settings: readonly string[] = []) {
  const database = await server.createDatabase('create extension pg_stat_statements');
  for (const setting of settings) await server.execute(database, `alter database "${database}" set ${setting}`);
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
  const remove = async (activityDays: number) => {
    await createCheckpoints({ store, clock, key, keep: async () => undefined }).signAll();
    pass(2 * dayMs);
    await removeExpired({ store, clock, random: systemRandom, key, retention: { activityDays } });
  };
  const number = async (query: string) => (await server.execute(database, `select ${query}`))[0]?.['number'];
  return {
    append,
    remove,
    left: (table: string) => number(`count(*)::int as number from vendor_cloud.${table}`),
    statements: (column: 'calls' | 'plans', beginning: string) =>
      number(`coalesce(sum(${column}), 0)::int as number from pg_stat_statements where query like '${beginning}%'`),
  };
}

it('retention sends no delete to a table whose rows went with their month', async () => {
  const log = await startLog();
  // Three steps of removal, all of them in a month that goes as a whole: no other log has rows of it.
  await log.append(11_000, 90 * dayMs);
  await log.append(10);
  await log.remove(30);

  expect([await log.left('audit_records'), await log.left('audit_rows where status is not null')]).toEqual([10, 10]);
  const deletesFrom = (table: string) => log.statements('calls', `delete from "vendor_cloud"."${table}"`);
  expect([await deletesFrom('audit_records'), await deletesFrom('audit_rows')]).toEqual([3, 0]);
});

it('the trigger over each deleted row plans its question a few times, not for each row', async () => {
  const log = await startLog(['pg_stat_statements.track = "all"', 'pg_stat_statements.track_planning = on']);
  // December is cut, so its rows go one by one.
  await log.append(500, 5 * dayMs);
  await log.append(10, dayMs / 2);
  await log.remove(3);

  expect(await log.left('audit_rows where status is not null')).toBe(10);
  const question = 'select first_sequence %audit_chains where id =';
  expect(await log.statements('calls', question)).toBeGreaterThanOrEqual(500);
  expect(await log.statements('plans', question)).toBeLessThan(20);
});
