import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { temporaryDatabase } from '../../helpers/temporary-database.ts';

const script = `
  create table visits (id integer primary key, day date, at timestamp);
  insert into visits values
    (1, '2024-03-09', '2024-03-09T22:59:59.999Z'), (2, '2024-03-10', '2024-03-09T23:00:00.000Z'),
    (3, '2024-03-10', '2024-03-10T22:59:59.999Z'), (4, '2024-03-11', '2024-03-10T23:00:00.000Z');
`;

/** Prints what searches find for a caller in Paris. */
const program = `
  import { compileModel } from '#runtime/compile/compile-model';
  import { createRecordService } from '#runtime/records/create-record-service';
  import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
  import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';

  const allowed = async () => undefined;
  const authoriser = { require: allowed, requireReadOn: allowed, requireForm: allowed, scopeOf: allowed };
  const dataSource = await createSqlDataSource(process.env.DATABASE)();
  const model = compileModel([dataSource], await createDeclarationCollector().finish());
  const context = { caller: { timezone: 'Europe/Paris' } };
  const query = { collection: 'visits', projection: ['id'], sort: [{ field: 'id', ascending: true }] };
  const found = [];
  for (const search of JSON.parse(process.env.SEARCHES)) {
    const records = await createRecordService(model, authoriser).list({ ...query, search }, context);
    found.push(records.map(({ id }) => id));
  }
  await dataSource.close();
  console.log(JSON.stringify({ offset: new Date('2024-03-01').getTimezoneOffset(), found }));
`;

describe('38: a search for a day', () => {
  it.each([
    ['America/New_York', 300],
    ['Asia/Tokyo', -540],
  ])('finds that day of the caller on a server in %s', async (zone, offset) => {
    const searches = ['day:2024-03-10', 'at:2024-03-10', '-at:2024-03-10', 'at:>2024-03-10', 'day:<=2024-03-09'];
    const database = `sqlite:${encodeURI(await temporaryDatabase(script))}`;
    const { stdout } = await execa(
      process.execPath,
      ['--conditions=vendor-source', '--input-type=module', '--eval', program],
      { env: { TZ: zone, DATABASE: database, SEARCHES: JSON.stringify(searches) } },
    );
    expect(JSON.parse(stdout)).toEqual({ offset, found: [[2, 3], [2, 3], [1, 4], [4], [1]] });
  });
});
