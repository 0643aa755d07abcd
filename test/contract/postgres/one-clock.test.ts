import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { firstDayOfBucket } from '#runtime/query/date-parts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const instants = Array.from({ length: 60 }, (_, index) =>
  new Date(Date.UTC(2025, 11, 1 + index * 11, (index * 5) % 24, 30)).toISOString(),
);

describe('The days of PostgreSQL', () => {
  const server = usePostgresServer();

  /** The days of `column` that a chart shows, each with its number of records. */
  const chart = (source: DataSource, column: string, timezone: string, where?: { field: string; operator: 'Today' }) =>
    source.aggregate(
      {
        collection: 'visits',
        where,
        aggregation: { operation: 'Count', groups: [{ field: column, bucket: 'Day' }] },
      },
      { timezone },
    );

  it('are those of the filter, where the database has other rules for the zone of the caller', async () => {
    const zone = 'EST';
    const late = DateTime.now().setZone(zone).endOf('day').minus({ minutes: 1 });
    // The database takes EST for a zone of Australia then, sixteen hours ahead.
    const database = await server.createDatabase();
    await server.execute(database, `alter database ${database} set timezone_abbreviations = 'Australia'`);
    await server.execute(
      database,
      `create table visits (id int primary key, at timestamptz, local timestamp);
       insert into visits values (1, '${late.toISO()}', '${late.toUTC().toISO()}')`,
    );
    const [row] = await server.execute(database, `select (at at time zone '${zone}')::date::text as day from visits`);
    expect(row?.['day']).not.toBe(late.toISODate());

    const source = await server.openDataSource('', { database });
    for (const column of ['at', 'local']) {
      const today = { field: column, operator: 'Today' } as const;
      expect(await chart(source, column, zone, today), column).toEqual([
        { value: 1, group: { [column]: late.toISODate() } },
      ]);
    }
  });

  it('are compared to those of Node.js by what the server knows of zones', async () => {
    const engine = await server.openEngine('');
    const instants = [new Date('2024-01-15T00:00:00Z'), new Date('2024-07-15T00:00:00Z')];
    const offsets = await engine.utcOffsets?.(['Europe/Paris', 'Asia/Kolkata', 'Nowhere/Land'], instants);
    expect(Object.fromEntries(offsets ?? [])).toEqual({ 'Europe/Paris': [3600, 7200], 'Asia/Kolkata': [19800, 19800] });
  });

  it.each([
    'America/Edmonton',
    'Africa/Casablanca',
    'America/St_Johns',
    'Pacific/Apia',
    'Asia/Kolkata',
    'UTC',
    'UTC+5:30',
  ])('are those that Node.js has in %s', async (zone) => {
    const values = [
      ...instants,
      '1867-03-30T12:00:00Z',
      '1900-01-01T00:10:00Z',
      '1991-12-31T23:59:59.999Z',
      '2011-12-30T09:00:00Z',
      '2026-12-15T06:30:00Z',
    ];
    const source = await server.openDataSource(
      `create table visits (id serial primary key, at timestamptz, local timestamp);
       insert into visits (at, local) select v, v at time zone 'UTC' from unnest('{${values.join()}}'::timestamptz[]) v`,
    );
    const expected = values.map((value) => firstDayOfBucket(value, 'Day', zone)).toSorted();
    for (const column of ['at', 'local']) {
      const rows = await chart(source, column, zone);
      const days = rows.flatMap(({ value, group }) => Array<unknown>(Number(value)).fill(group[column]));
      expect(days.toSorted(), column).toEqual(expected);
    }
  });
});
