import { expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createActivityService } from '#platform/activity/activity-service';
import type { EnvironmentRecord } from '#platform/identity/identity-repository';
import { openStore } from '#platform/store/open-store';
import { activity } from '../../helpers/audit-api.ts';
import { eventuallyTrue } from '../../helpers/eventually.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { sealedValues } from '../../helpers/sealed-values.ts';
import { postgresPlace } from '../../helpers/store-engines.ts';
import { auditedEnvironment } from './audited-environment.ts';

const server = usePostgresServer();

it('looks known acts up by their index while a month grows that PostgreSQL believes to be small', async () => {
  const database = await server.createDatabase();
  const readOneByOne = async () => {
    const [row] = await server.execute(
      database,
      "select coalesce(sum(seq_tup_read), 0)::int as rows from pg_stat_user_tables where relname like 'audit_rows_%'",
    );
    return Number(row?.['rows']);
  };
  const store = await openStore(postgresPlace(server, database));
  const { environmentId } = await auditedEnvironment(store);
  const environment = { id: environmentId.current, name: 'Development' } as EnvironmentRecord;
  const service = createActivityService(store, {
    clock: systemClock,
    random: systemRandom,
    news: { tell: () => undefined },
    sealed: sealedValues,
  });
  const report = (count: number) =>
    service.record(
      environment,
      Array.from({ length: count }, () => activity({ recordIds: ['7'] })),
    );
  await report(3);
  await server.execute(database, 'vacuum (analyze) vendor_cloud.audit_rows');
  const before = await readOneByOne();
  for (let reports = 0; reports < 10; reports++) await report(100);
  await store.close();
  // A session tells its counters when it ends, and the store does not wait for that.
  await eventuallyTrue(async () => {
    const open = await server.execute(
      'postgres',
      `select 1 from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
    );
    return open.length === 0;
  });
  expect((await readOneByOne()) - before).toBe(0);
});
