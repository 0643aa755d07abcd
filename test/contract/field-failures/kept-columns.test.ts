/*
 * Failure                                            | Shown by
 * ---------------------------------------------------|------------------------------------------------------------
 * DELETE removes rows of a table with soft deletes   | "marks what is deleted, and hides it"
 * Deleted records show through relations             | "hides deleted records behind relations"
 * Required creation times are asked of the client    | "keeps the times of creation and change"
 */
import { describe, expect, it } from 'vitest';
import type { DataSource, QueryContext } from '#runtime/data-sources/interface/data-source';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { Dialect } from '../data-source/ddl.ts';
import { describeOnEngines, type OpenDatabase } from './engines.ts';

const utc = { timezone: 'UTC' };
const year = /^20\d\d-\d\d-\d\dT/;

function statements(dialect: Dialect): readonly string[] {
  const time = { sqlite: 'datetime', postgres: 'timestamptz', mariadb: 'datetime(3)', mysql: 'datetime(3)' }[dialect];
  return [
    `create table owners (id int primary key, name varchar(20), deleted_at ${time})`,
    `create table posts (id int primary key, owner_id int, title varchar(20), removed_on date, created_at ${time} not null,
       updated_at ${time} not null, constraint post_owner foreign key (owner_id) references owners (id))`,
    `create table tags (id int primary key, name varchar(20), deleted_at ${time})`,
    `create table post_tags (post_id int not null, tag_id int not null, unlinked_at ${time}, primary key (post_id, tag_id),
       constraint tagged_post foreign key (post_id) references posts (id),
       constraint post_tag foreign key (tag_id) references tags (id))`,
    "insert into owners (id, name) values (1, 'Ann'), (2, 'Bob')",
    `insert into posts (id, owner_id, title, created_at, updated_at) values
       (1, 1, 'one', '2020-01-02 12:00:00', '2020-01-02 12:00:00'), (2, 1, 'two', '2020-01-02 12:00:00', '2020-01-02 12:00:00'),
       (3, 2, 'three', '2020-01-02 12:00:00', '2020-01-02 12:00:00')`,
    "insert into tags (id, name) values (1, 'red'), (2, 'blue')",
    'insert into post_tags (post_id, tag_id) values (1, 1), (1, 2), (3, 2)',
    'create table plain (id int primary key, name varchar(20))',
    `create table folders (id int primary key, name varchar(20), parent_id int, deleted_at ${time},
       constraint folder_parent foreign key (parent_id) references folders (id))`,
    "insert into folders (id, name, parent_id) values (1, 'top', null), (2, 'left', 1), (3, 'right', 1)",
  ];
}

const settings = {
  softDelete: {
    owners: 'deleted_at',
    posts: 'removed_on',
    tags: 'deleted_at',
    folders: 'deleted_at',
    post_tags: 'unlinked_at',
  },
  timestamps: { posts: { created: 'created_at', updated: 'updated_at' } },
};

function equals(field: string, value: unknown): ConditionTree {
  return { field, operator: 'Equal', value };
}

async function idsOf(source: DataSource, collection: string, where?: ConditionTree, context: QueryContext = utc) {
  const sort = [{ field: 'id', ascending: true }];
  const listed = await source.list({ collection, projection: ['id'], where, sort }, context);
  const prepared = await source.prepareList?.({ collection, projection: ['id'], sort })([], undefined, context);
  expect(await source.count(collection, where, context)).toBe(listed.length);
  if (!where) expect(prepared).toEqual(listed);
  return listed.map(({ id }) => id);
}

describeOnEngines('Kept columns', (open: OpenDatabase, dialect) => {
  const opened = async () => (await open(statements(dialect), settings)).dataSource;

  it('soft deletion marks what is deleted, and hides it', async () => {
    const source = await opened();
    expect(await source.delete('posts', equals('id', 1), utc)).toBe(1);
    expect(await idsOf(source, 'posts')).toEqual([2, 3]);
    expect(await source.delete('posts', equals('id', 1), utc)).toBe(0);
    expect(await source.update('posts', equals('id', 1), { title: 'changed' }, utc)).toBe(0);
    const count = { collection: 'posts', aggregation: { operation: 'Count' as const, groups: [] } };
    expect(await source.aggregate(count, utc)).toEqual([{ value: 2, group: {} }]);
  });

  it('soft deletion shows deleted records of the collection that is asked for', async () => {
    const source = await opened();
    await source.delete('posts', equals('id', 1), utc);
    await source.delete('owners', equals('id', 2), utc);
    const shown = (deleted: 'only' | 'with') => ({ ...utc, deleted });
    expect(await idsOf(source, 'posts', undefined, shown('only'))).toEqual([1]);
    expect(await idsOf(source, 'posts', undefined, shown('with'))).toEqual([1, 2, 3]);
    expect(await idsOf(source, 'posts', equals('owner:name', 'Bob'), shown('with'))).toEqual([]);
    const [found] = await source.list(
      { collection: 'posts', projection: ['removed_on', 'title'], where: equals('id', 1) },
      shown('with'),
    );
    expect(found).toEqual({ removed_on: expect.stringMatching(/^20\d\d-\d\d-\d\d$/), title: 'one' });
    expect(await source.update('posts', equals('id', 1), { removed_on: null }, shown('only'))).toBe(1);
    expect(await idsOf(source, 'posts')).toEqual([1, 2, 3]);
  });

  it('soft deletion hides deleted records behind relations', async () => {
    const source = await opened();
    await source.delete('owners', equals('id', 1), utc);
    await source.delete('tags', equals('name', 'blue'), utc);
    const sort = [{ field: 'id', ascending: true }];
    const listed = await source.list({ collection: 'posts', projection: ['id', 'owner:name'], sort }, utc);
    expect(listed).toEqual([
      { id: 1, owner: null },
      { id: 2, owner: null },
      { id: 3, owner: { name: 'Bob' } },
    ]);
    expect(await idsOf(source, 'posts', equals('owner:name', 'Ann'))).toEqual([]);
    expect(await idsOf(source, 'posts', equals('tags:name', 'blue'))).toEqual([]);
    expect(await idsOf(source, 'posts', equals('tags:name', 'red'))).toEqual([1]);
    await source.delete('posts', equals('id', 1), utc);
    expect(await idsOf(source, 'tags', equals('posts:title', 'one'))).toEqual([]);
    const byOwner = { operation: 'Count' as const, groups: [{ field: 'owner:name' }] };
    const counted = await source.aggregate({ collection: 'posts', aggregation: byOwner }, utc);
    expect(counted).toHaveLength(2);
    expect(counted).toEqual(
      expect.arrayContaining([
        { value: 1, group: { 'owner:name': 'Bob' } },
        { value: 1, group: { 'owner:name': null } },
      ]),
    );
  });

  it('soft deletion of a link takes the relation away, on both sides', async () => {
    const source = await opened();
    expect(await source.delete('post_tags', equals('tag_id', 2), utc)).toBe(2);
    expect(await idsOf(source, 'posts', equals('tags:name', 'blue'))).toEqual([]);
    expect(await idsOf(source, 'posts', equals('tags:name', 'red'))).toEqual([1]);
    expect(await idsOf(source, 'tags', equals('posts:title', 'one'))).toEqual([1]);
    expect(await source.count('tags', undefined, utc)).toBe(2);
  });

  it('soft deletion hides the other end of a relation to the same table', async () => {
    const source = await opened();
    await source.delete('folders', equals('id', 1), utc);
    const query = {
      collection: 'folders',
      projection: ['id', 'parent:name'],
      sort: [{ field: 'id', ascending: true }],
    };
    const rows = [
      { id: 2, parent: null },
      { id: 3, parent: null },
    ];
    expect(await source.list(query, utc)).toEqual(rows);
    expect(await source.list(query, { ...utc, deleted: 'with' })).toEqual([{ id: 1, parent: null }, ...rows]);
    expect(await idsOf(source, 'folders', equals('parent:name', 'top'), { ...utc, deleted: 'with' })).toEqual([]);
    expect(await idsOf(source, 'folders', equals('folders:name', 'left'), { ...utc, deleted: 'only' })).toEqual([1]);
    await source.delete('folders', equals('id', 2), utc);
    expect(await idsOf(source, 'folders', equals('folders:name', 'left'), { ...utc, deleted: 'only' })).toEqual([]);
  });

  it('soft deletion reaches records by conditions on related ones', async () => {
    const source = await opened();
    expect(await source.delete('posts', equals('owner:name', 'Ann'), utc)).toBe(2);
    expect(await source.delete('posts', equals('tags:name', 'blue'), utc)).toBe(1);
    expect(await idsOf(source, 'posts')).toEqual([]);
  });

  it('the data source keeps the times of creation and change', async () => {
    const source = await opened();
    const [created] = await source.create('posts', [{ id: 9, title: 'nine' }], utc);
    expect(created).toMatchObject({ created_at: expect.stringMatching(year), updated_at: expect.stringMatching(year) });
    await source.update('posts', equals('id', 3), { title: 'changed' }, utc);
    const projection = ['created_at', 'updated_at'];
    const [changed] = await source.list({ collection: 'posts', projection, where: equals('id', 3) }, utc);
    expect(changed?.['created_at']).toMatch(/^2020-01-02/);
    expect(changed?.['updated_at']).not.toMatch(/^2020-01-02/);
  });

  it('kept columns are not written by clients', async () => {
    const { fields } = (await opened()).collections.find(({ name }) => name === 'posts') ?? { fields: new Map() };
    for (const name of ['removed_on', 'created_at', 'updated_at']) {
      expect(fields.get(name)).toMatchObject({ isReadOnly: true });
    }
  });

  it('the data source suggests settings for columns that look like them, until a setting says what they are', async () => {
    const { dataSource } = await open(statements(dialect));
    expect(dataSource.suggestedSettings).toEqual({
      softDelete: { owners: 'deleted_at', tags: 'deleted_at', folders: 'deleted_at' },
      timestamps: { posts: { created: 'created_at', updated: 'updated_at' } },
    });
    const none = { softDelete: {}, timestamps: {} };
    expect((await opened()).suggestedSettings).toEqual(none);
    const off = { softDelete: false, timestamps: { posts: false } } as const;
    expect((await open(statements(dialect), off)).dataSource.suggestedSettings).toEqual(none);
  });

  it('the statements on a table without settings are the ones of a data source without settings', async () => {
    const [plain, kept] = [(await open(statements(dialect))).dataSource, await opened()];
    const query = { collection: 'plain', projection: ['id'], where: equals('name', 'Ann') };
    const explained = await plain.explain?.(query, utc);
    expect(explained?.sql).toContain('plain');
    expect((await kept.explain?.(query, utc))?.sql).toBe(explained?.sql);
  });

  describe('settings', () => {
    it.each([
      [
        { softDelete: { post: 'removed_on' } },
        'softDelete.post of a data source cannot be used: there is no such table',
      ],
      [{ softDelete: { posts: 'removed' } }, 'the table has no column "removed"'],
      [{ softDelete: { posts: 'title' } }, 'the column "title" must be a date'],
      [{ softDelete: { posts: 'created_at' } }, 'the column "created_at" must take null'],
      [{ timestamps: { posts: { created: 'made_at' } } }, 'the table has no column "made_at"'],
    ])('a setting that cannot be used is refused: %j', async (wrong, message) => {
      await expect(open(statements(dialect), wrong)).rejects.toMatchObject({
        code: 'AGENT_OPTION_INVALID',
        message: expect.stringContaining(message),
      });
    });
  });
});
