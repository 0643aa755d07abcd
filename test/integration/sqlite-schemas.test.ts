import { describe, expect, it } from 'vitest';
import { temporaryDataSource } from '../helpers/temporary-database.ts';

const utc = { timezone: 'UTC' };

describe('A foreign key of SQLite that names no columns', () => {
  it('means those of the primary key, in the order of the key', async () => {
    const dataSource = await temporaryDataSource(`
      create table places (floor int, room int, name text, primary key (room, floor));
      create table desks (id integer primary key, room int, floor int, foreign key (room, floor) references places);
      insert into places values (1, 2, 'attic');
      insert into desks values (1, 2, 1);`);
    const query = { collection: 'desks', projection: ['place:name'] };
    expect(await dataSource.list(query, utc)).toEqual([{ place: { name: 'attic' } }]);
  });
});
