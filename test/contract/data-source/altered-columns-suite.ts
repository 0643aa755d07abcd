import { expect, it, onTestFinished } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';

/** A database that the suite alters beside the data source. */
interface AlteredDatabase {
  open(): Promise<DataSource>;
  execute(sql: string): Promise<unknown>;
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

export interface AlteredColumnsSubject {
  /** A database made by `script`, statement by statement. */
  create(script: readonly string[]): Promise<AlteredDatabase>;
  /** The statements that make column `code` of `codes`, an int, a text of 20 characters. */
  readonly toText: readonly string[];
  /** What widens column `value` of `widened`, where a kept statement might still narrow its values. */
  readonly widening?: {
    readonly type: string;
    readonly alter: string;
    readonly before: string | number;
    /** Only the wider column keeps it whole. */
    readonly after: string | number;
  };
}

const context = { timezone: 'UTC' };
const withId = (value: number) => ({ field: 'id', operator: 'Equal', value }) as const;
const ids = [1, 2, 3, 4, 5, 6, 7, 8];
const valuesOf = (value: string) => ids.map((id) => `(${id}, ${value})`).join(', ');

/** What the data source does with a column that somebody alters while it writes. */
export function describeAlteredColumns(subject: AlteredColumnsSubject): void {
  async function opened(script: readonly string[]): Promise<{ database: AlteredDatabase; source: DataSource }> {
    const database = await subject.create(script);
    const source = await database.open();
    onTestFinished(async () => {
      await source.close();
      await database.close();
    });
    return { database, source };
  }

  /** Write without a pause, on every connection, while `alter` alters the table, until the data source tells of it. */
  async function alterUnderLoad(
    source: DataSource,
    alter: () => Promise<unknown>,
    write: (id: number) => Promise<unknown>,
  ): Promise<string> {
    const told = Promise.withResolvers<string>();
    source.onNotice?.(told.resolve);
    const end = new AbortController();
    const load = ids.map(async (id) => {
      while (!end.signal.aborted) await write(id);
    });
    await alter();
    const sentence = await Promise.race([told.promise, Promise.all(load).then(() => 'the load ended')]);
    end.abort();
    await Promise.allSettled(load);
    return sentence;
  }

  it('takes a column with another kind of value for changed: tells it, and writes nothing until it is opened again', async () => {
    const { database, source } = await opened([
      'create table codes (id int primary key, code int, note varchar(9))',
      'create table others (id int primary key, note varchar(9))',
      `insert into codes (id, code) values ${valuesOf('5')}`,
    ]);
    const failures: unknown[] = [];
    const sentence = await alterUnderLoad(
      source,
      async () => {
        for (const statement of subject.toText) await database.execute(statement);
      },
      (id) =>
        source.update('codes', withId(id), { code: 5 }, context).catch((error: unknown) => {
          failures.push(error);
        }),
    );
    expect(sentence).toMatch(
      /^The column "code" of "codes" has changed from int(?:eger)?(?:\(11\))? to .*Writes .* refused/i,
    );
    const before = await database.rows('select id, code from codes order by id');

    const refused = { code: 'DATABASE_TABLE_CHANGED', message: expect.stringContaining('"code" of "codes"') };
    const seven = { field: 'code', operator: 'Equal', value: '007' } as const;
    await expect(source.create('codes', [{ id: 9, code: '007' }], context)).rejects.toMatchObject(refused);
    await expect(source.update('codes', withId(1), { note: 'x' }, context)).rejects.toMatchObject(refused);
    await expect(source.delete('codes', seven, context)).rejects.toMatchObject(refused);
    const inTransaction = source.transaction((store) => store.create('codes', [{ id: 9, code: 7 }], context), context);
    await expect(inTransaction).rejects.toMatchObject(refused);
    expect(await database.rows('select id, code from codes order by id')).toEqual(before);
    for (const failure of failures) expect(failure).toMatchObject(refused);
    expect(await source.create('others', [{ id: 1, note: 'a' }], context)).toMatchObject([{ id: 1 }]);

    const reopened = await database.open();
    onTestFinished(() => reopened.close());
    await reopened.create(
      'codes',
      ['007', '7', '7.0'].map((code, index) => ({ id: 20 + index, code })),
      context,
    );
    expect(await reopened.delete('codes', seven, context)).toBe(1);
    const codes = await database.rows('select code from codes where id >= 20 order by id');
    expect(codes.map((row) => String(row['code']))).toEqual(['7', '7.0']);
  });

  it('refuses a write that needs a column which is gone, at once, and keeps nothing of its transaction', async () => {
    const { database, source } = await opened([
      'create table papers (id int primary key, note varchar(9), stamp varchar(9))',
      'create table others (id int primary key, note varchar(9))',
    ]);
    await source.create('papers', [{ id: 1, note: 'a', stamp: 'b' }], context);
    await database.execute('alter table papers drop column stamp');
    const gone = {
      code: 'DATABASE_TABLE_CHANGED',
      message: expect.stringContaining('The column "stamp" of "papers" is no longer there.'),
    };
    const stamped = { field: 'stamp', operator: 'Equal', value: 'b' } as const;
    // The first one comes within a second of the start, and no look has seen the change.
    await expect(source.create('papers', [{ id: 2, note: 'a' }], context)).rejects.toMatchObject(gone);
    const many = await Promise.allSettled(ids.map((id) => source.create('papers', [{ id: 10 + id }], context)));
    for (const outcome of many) expect(outcome).toMatchObject({ status: 'rejected', reason: gone });
    await expect(source.update('papers', withId(1), { stamp: 'c' }, context)).rejects.toMatchObject(gone);
    await expect(source.update('papers', stamped, { note: 'c' }, context)).rejects.toMatchObject(gone);
    await expect(source.delete('papers', stamped, context)).rejects.toMatchObject(gone);
    await expect(source.list({ collection: 'papers', projection: ['stamp'] }, context)).rejects.toMatchObject(gone);
    const compared = source.transaction(async (store) => {
      await store.create('others', [{ id: 1, note: 'a' }], context);
      await store.listLocked?.('papers', ['note', 'stamp'], withId(1), context);
    }, context);
    await expect(compared).rejects.toMatchObject(gone);
    const inTransaction = source.transaction(async (store) => {
      await store.create('others', [{ id: 2, note: 'a' }], context);
      await store.create('papers', [{ id: 3, note: 'a' }], context);
    }, context);
    await expect(inTransaction).rejects.toMatchObject(gone);
    expect(await source.update('papers', withId(1), { note: 'd' }, context)).toBe(1);
    expect(await database.rows('select id, note from papers')).toEqual([{ id: 1, note: 'd' }]);
    expect(await database.rows('select id from others')).toEqual([]);
  });

  it('refuses a write that needs a table which is gone, and leaves other failures of writes as they are', async () => {
    const { database, source } = await opened([
      'create table papers (id int primary key, note varchar(9))',
      'create table others (id int primary key, note varchar(9))',
    ]);
    await source.create('papers', [{ id: 1, note: 'a' }], context);
    await source.create('others', [{ id: 1, note: 'a' }], context);
    await database.execute('alter table papers rename to documents');
    const gone = {
      code: 'DATABASE_TABLE_CHANGED',
      message: expect.stringContaining('The table "papers" is no longer there.'),
    };
    await expect(source.create('papers', [{ note: 'a' }], context)).rejects.toMatchObject(gone);
    await expect(source.create('papers', [{ id: 2, note: 'a' }], context)).rejects.toMatchObject(gone);
    await expect(source.update('papers', withId(1), { note: 'c' }, context)).rejects.toMatchObject(gone);
    await expect(source.delete('papers', withId(1), context)).rejects.toMatchObject(gone);
    const taken = source.create('others', [{ id: 1, note: 'b' }], context);
    await expect(taken).rejects.toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED' });
    expect(await database.rows('select id, note from documents')).toEqual([{ id: 1, note: 'a' }]);
  });

  const { widening } = subject;
  if (!widening) return;
  it('gives the values of later writes the type that the column has then', async () => {
    const { database, source } = await opened([
      `create table widened (id int primary key, value ${widening.type})`,
      `insert into widened (id) values ${ids.map((id) => `(${id})`).join(', ')}`,
    ]);
    const write = (value: string | number) => (id: number) => source.update('widened', withId(id), { value }, context);
    const sentence = await alterUnderLoad(source, () => database.execute(widening.alter), write(widening.before));
    expect(sentence).toMatch(/^The column "value" of "widened" has changed/);
    expect(await Promise.all(ids.map(write(widening.after)))).toEqual(ids.map(() => 1));
    const stored = await database.rows('select value from widened');
    expect(new Set(stored.map((row) => String(row['value'])))).toEqual(new Set([String(widening.after)]));
  });
}
