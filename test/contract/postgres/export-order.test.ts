import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const call = callIn('UTC');

/** Six batches: a millisecond that fills more than two of them, milliseconds that begin within one, instants that are equal, and nulls. */
const script = `
  create table events (id int primary key, kind text, at timestamptz(6));
  insert into events select n, 'dense', timestamptz '2024-01-01Z' + (n * 7919 % 997) * interval '1 microsecond' from generate_series(1, 2500) n;
  insert into events select n, 'spread', timestamptz '2024-01-02Z' + (n * 7919 % 5003) * interval '1 microsecond' from generate_series(2501, 4500) n;
  insert into events select n, 'none', null from generate_series(4501, 5700) n;`;

it.each([
  { sort: [{ field: 'at', ascending: true }], order: 'at nulls first, id' },
  { sort: [{ field: 'at', ascending: false }], order: 'at desc nulls last, id desc' },
  {
    sort: [
      { field: 'kind', ascending: false },
      { field: 'at', ascending: true },
      { field: 'id', ascending: false },
    ],
    order: 'kind desc, at nulls first, id desc',
  },
])('an export in the order of $order holds every record once', async ({ sort, order }) => {
  const database = await server.createDatabase(script);
  const expected = await server.execute(database, `select id from events order by ${order}`);
  const source = await server.openDataSource(script);
  const service = createRecordService(compileModel([source], []), everythingAllowed);
  const exported: unknown[] = [];
  // One more than there are: an export that repeats itself never ends.
  const batches = await service.exportRecords({ collection: 'events', projection: ['id'], sort }, 5701, call);
  for await (const batch of batches) exported.push(...batch.map((record) => record['id']));
  expect(exported).toEqual(expected.map(({ id }) => id));
});
