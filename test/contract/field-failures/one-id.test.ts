/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * An index that was not finished            | "a unique index that is not valid …"
 * Table inheritance                         | "a table that others inherit from …"
 * One value in several forms                | "a key that is stored in several forms …"
 * A write that cannot be rolled back        | "a table without transactions …"
 */
import { expect, it } from 'vitest';
import { describeOnEngines, describeOnMysqlFamilyServers, describeOnPostgres, describeOnSqlite } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

const ambiguous = { code: 'RECORD_AMBIGUOUS' };

describeOnPostgres('One id', (open) => {
  it('a unique index that is not valid: it makes neither a key nor a relation to one record', async () => {
    const database = await open([
      'create table accounts (id int primary key)',
      'create table profiles (id int primary key, account_id int references accounts (id))',
      'create table stock (code text not null, quantity int)',
      'insert into accounts values (1), (2)',
      'insert into profiles values (1, 1), (2, 1), (3, 2)',
      "insert into stock values ('x', 1), ('x', 2), ('y', 3)",
    ]);
    await expect(database.execute('create unique index concurrently on profiles (account_id)')).rejects.toThrow();
    await expect(database.execute('create unique index concurrently on stock (code)')).rejects.toThrow();
    const dataSource = await database.reopen();
    const collection = (name: string) => dataSource.collections.find((each) => each.name === name);
    expect(collection('accounts')?.fields.get('profiles')?.kind).toBe('OneToMany');
    expect(collection('stock')?.isReadOnly).toBe(true);
    expect(await valuesOf(serve(dataSource), 'accounts', 'id')).toEqual([1, 2]);
  });

  it('a table that others inherit from: relations to it repeat nothing, and an id of two rows is not written', async () => {
    const { dataSource } = await open([
      'create table vehicles (id int primary key, plate text)',
      'create table trucks (axles int) inherits (vehicles)',
      'create table trips (id int primary key, vehicle_id int references vehicles (id))',
      "insert into vehicles values (1, 'V1'), (2, 'V2')",
      "insert into trucks values (1, 'T1', 3), (3, 'T3', 2)",
      'insert into trips values (1, 1), (2, 2)',
    ]);
    const service = serve(dataSource);
    expect(await service.list({ collection: 'trips', projection: ['id', 'vehicle:plate'] }, context)).toEqual([
      { id: 1, vehicle: { id: 1, plate: 'V1' } },
      { id: 2, vehicle: { id: 2, plate: 'V2' } },
    ]);
    await expect(service.update('vehicles', [1], { plate: 'new' }, context)).rejects.toMatchObject(ambiguous);
    await service.delete('trips', undefined, context);
    const both = { field: 'id', operator: 'In', value: [1, 2, 9] } as const;
    await expect(service.delete('vehicles', both, context)).rejects.toMatchObject(ambiguous);
    expect(await valuesOf(service, 'vehicles', 'plate')).toEqual(['T1', 'T3', 'V1', 'V2']);
    // An id of one row is written, in whichever table it is.
    expect(await service.update('vehicles', [3], { plate: 'new' }, context)).toMatchObject({ plate: 'new' });
    expect(await valuesOf(service, 'trucks', 'plate')).toEqual(['T1', 'new']);
  });

  it('a unique index of a table that others inherit from: it makes no relation to one record', async () => {
    const { dataSource } = await open([
      'create table users (id int primary key)',
      'create table cards (id int primary key, user_id int unique references users (id))',
      'create table gold_cards () inherits (cards)',
      'insert into users values (1)',
      'insert into cards values (1, 1)',
      'insert into gold_cards values (2, 1)',
    ]);
    const users = dataSource.collections.find(({ name }) => name === 'users');
    expect(users?.fields.get('cards')?.kind).toBe('OneToMany');
    expect(await valuesOf(serve(dataSource), 'users', 'id')).toEqual([1]);
  });
});

const forms = {
  'without a type': ['(id primary key, v text)', "(1, 'a'), ('1', 'b')", '1'],
  'of date-times': [
    '(id datetime primary key, v text)',
    "('2024-01-01 00:00:00', 'a'), ('2024-01-01T00:00:00.000Z', 'b'), (1704067200, 'c')",
    '2024-01-01T00:00:00.000Z',
  ],
  'of days': ['(id date primary key, v text)', "('2024-01-01', 'a'), ('2024-01-01 00:00:00', 'b')", '2024-01-01'],
  'of truth values': ['(id boolean primary key, v text)', "(1, 'a'), ('true', 'b'), (0, 'c')", true],
} as const;

describeOnSqlite('One id', (open) => {
  for (const [name, [columns, rows, id]] of Object.entries(forms)) {
    it(`a key ${name} that is stored in several forms: the id that all of them show is not written`, async () => {
      const { dataSource } = await open([`create table t ${columns}`, `insert into t values ${rows}`]);
      const service = serve(dataSource);
      const before = await valuesOf(service, 't', 'v');
      await expect(service.update('t', [id], { v: 'new' }, context)).rejects.toMatchObject(ambiguous);
      const where = { field: 'id', operator: 'In', value: [id] } as const;
      await expect(service.delete('t', where, context)).rejects.toMatchObject(ambiguous);
      await expect(service.checkUpdate('t', [id], { v: 'new' }, context)).rejects.toMatchObject(ambiguous);
      await expect(service.checkDelete('t', where, context)).rejects.toMatchObject(ambiguous);
      expect(await valuesOf(service, 't', 'v')).toEqual(before);
    });
  }

  it('a key of days: it finds its row in either form, and an index finds it', async () => {
    const { dataSource } = await open([
      'create table t (day date, n int, v text, primary key (day, n))',
      "insert into t values ('2024-01-01', 1, 'a'), ('2024-01-02 00:00:00', 1, 'b'), ('2024-01-10', 1, 'c')",
    ]);
    const service = serve(dataSource);
    expect(await service.update('t', ['2024-01-02', 1], { v: 'new' }, context)).toMatchObject({ v: 'new' });
    expect(await valuesOf(service, 't', 'v')).toEqual(['a', 'c', 'new']);
    const where = { field: 'day', operator: 'Equal', value: '2024-01-01' } as const;
    expect(
      (await dataSource.explain?.({ collection: 't', projection: ['v'], where }, { timezone: 'UTC' }))?.steps,
    ).toEqual([expect.stringContaining('SEARCH')]);
  });
});

describeOnMysqlFamilyServers('One id', (open) => {
  it('a table without transactions: the start says that its writes are not atomic', async () => {
    const { dataSource } = await open([
      'create table logs (id int primary key, v varchar(9)) engine = MyISAM',
      'create table t (id int primary key)',
    ]);
    expect(dataSource.collections.map(({ name, hasNoTransactions }) => [name, hasNoTransactions])).toEqual([
      ['logs', true],
      ['t', undefined],
    ]);
    expect(dataSource.warnings).toContainEqual(expect.stringMatching(/no transactions.*logs/));
    const service = serve(dataSource);
    await service.create('logs', { id: 1, v: 'a' }, context);
    expect(await service.update('logs', [1], { v: 'b' }, context)).toEqual({ id: 1, v: 'b' });
  });
});

describeOnEngines('One id', (open) => {
  it('several ids at once: those that are there are written, each once', async () => {
    const { dataSource } = await open([
      'create table t (id int primary key, v varchar(9))',
      "insert into t values (1, 'a'), (2, 'b')",
    ]);
    const service = serve(dataSource);
    const where = { field: 'id', operator: 'In', value: [1, 7] } as const;
    expect(await service.checkDelete('t', where, context)).toBe(1);
    expect(await service.delete('t', where, context)).toBe(1);
    expect(await valuesOf(service, 't', 'id')).toEqual([2]);
  });
});
