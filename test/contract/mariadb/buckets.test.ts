import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { openMariadbEngine } from '#runtime/data-sources/mariadb/open-mariadb-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { zoneOffsets } from '#runtime/data-sources/sql/zone-offsets';
import { dateBuckets } from '#runtime/query/aggregation';
import { firstDayOfBucket } from '#runtime/query/date-parts';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const zones = [
  'Asia/Tokyo',
  'Europe/Paris',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'America/Sao_Paulo',
  'Pacific/Apia',
  'UTC',
];

/** Around every change of the zone's offset, and around midnights and ends of years. */
function instants(zone: string): string[] {
  const { zone: found } = DateTime.fromMillis(0, { zone });
  const changes = zoneOffsets(found)
    .changes.map((microseconds) => microseconds / 1000)
    .filter((milliseconds) => milliseconds > Date.UTC(1960, 0, 1) && milliseconds < Date.UTC(2050, 0, 1));
  const midnights = [1969, 1999, 2000, 2023, 2024, 2100].flatMap((year) =>
    ['01-01', '02-28', '02-29', '04-01', '12-31'].flatMap((day) => {
      const start = DateTime.fromISO(`${year}-${day}`, { zone });
      return start.isValid ? [start.toMillis()] : [];
    }),
  );
  const edges = [...changes, ...midnights].flatMap((edge) => [edge - 1, edge, edge + 3_600_000, edge - 86_400_000]);
  return [...new Set(edges)].map((edge) => new Date(edge).toISOString());
}

describeOnMysqlFamily('Date buckets', (member) => {
  let server: MysqlFamilyServer;
  let dataSource: DataSource;
  beforeAll(async () => {
    server = await member.start();
    const database = await server.createDatabase('buckets', [
      'create table events (id int auto_increment primary key, zone varchar(40), at datetime(3), day date)',
    ]);
    const { host, port, user, password } = server;
    dataSource = await createDataSourceOn(await openMariadbEngine({ host, port, user, password, database }));
    for (const zone of zones) {
      const records = instants(zone).map((at) => ({ zone, at, day: at.slice(0, 10) }));
      await dataSource.create('events', records, { timezone: 'UTC' });
    }
  });
  afterAll(async () => {
    await dataSource?.close();
    await server?.stop();
  });

  it('runs on a server without time zone tables', async () => {
    const connection = await server.connect();
    const [rows] = await connection.query("select convert_tz('2024-01-01', 'UTC', 'Europe/Paris') as local");
    await connection.end();
    expect(rows).toEqual([{ local: null }]);
  });

  it.each(zones.flatMap((zone) => dateBuckets.map((bucket) => ({ zone, bucket }))))(
    'groups instants by $bucket in $zone, to the millisecond',
    async ({ zone, bucket }) => {
      const where = { field: 'zone', operator: 'Equal', value: zone } as const;
      const aggregation = { operation: 'Count', groups: [{ field: 'at', bucket }] } as const;
      const rows = await dataSource.aggregate({ collection: 'events', where, aggregation }, { timezone: zone });
      const expected = Map.groupBy(instants(zone), (at) => firstDayOfBucket(at, bucket, zone));
      const counted = new Map(rows.map((row) => [row.group['at'], row.value]));
      expect(counted).toEqual(new Map([...expected].map(([day, list]) => [day, list.length])));
    },
  );

  it.each(dateBuckets)('groups days by %s in no zone', async (bucket) => {
    const aggregation = { operation: 'Count', groups: [{ field: 'day', bucket }] } as const;
    const rows = await dataSource.aggregate({ collection: 'events', aggregation }, { timezone: 'Asia/Tokyo' });
    const days = zones.flatMap(instants).map((at) => at.slice(0, 10));
    const expected = Map.groupBy(days, (day) => firstDayOfBucket(day, bucket, 'UTC'));
    const counted = new Map(rows.map((row) => [row.group['day'], row.value]));
    expect(counted).toEqual(new Map([...expected].map(([day, list]) => [day, list.length])));
  });

  it.each(['Europe/London', 'Africa/Casablanca', 'Africa/Cairo', 'Asia/Gaza', 'America/Chicago', 'Australia/Hobart'])(
    'has a place for every change of %s',
    (name) => {
      const { changes, offsets } = zoneOffsets(DateTime.fromMillis(0, { zone: name }).zone);
      expect(changes.length).toBeLessThanOrEqual(512);
      expect(changes).toEqual(changes.toSorted((a, b) => a - b));
      expect(offsets).toHaveLength(changes.length + 1);
    },
  );
});
