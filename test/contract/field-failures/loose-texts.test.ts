/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * Keys that differ in case                  | "records that refer to a text in another case …"
 * Columns of two collations                 | "a declared relation between two collations …"
 */
import { expect, it } from 'vitest';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { describeOnMysqlFamilyServers, describeOnPostgres, describeOnSqlite, type OpenDatabase } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

const loose = (type: string, referring = type) => [
  `create table teams (code ${type} primary key, label varchar(9))`,
  `create table players (id int primary key, code ${referring}, foreign key (code) references teams (code))`,
  `create table badges (id int primary key, code ${referring} unique, foreign key (code) references teams (code))`,
  'create table tags (name varchar(9) primary key)',
  `create table team_tags (code ${referring}, tag varchar(9), primary key (code, tag), foreign key (code) references teams (code), foreign key (tag) references tags (name))`,
  "insert into teams values ('Abc', 'A'), ('x', 'X')",
  "insert into players values (1, 'ABC'), (2, 'abc'), (3, 'Abc'), (4, 'x')",
  "insert into badges values (1, 'ABC')",
  "insert into tags values ('new'), ('old')",
  "insert into team_tags values ('aBC', 'new'), ('x', 'old')",
];

function testRelations(open: OpenDatabase, statements: readonly string[]): void {
  const team = (relation: string) => ({ collection: 'teams', relation, id: ['Abc'] });
  const ids = (values: readonly unknown[]) => ({ field: 'id', operator: 'In', value: values }) as const;

  it('records that refer to a text in another case: every way over the relation finds them', async () => {
    const service = serve((await open(statements)).dataSource);
    const players = { collection: 'players', relatedTo: team('players') };
    const sort = [{ field: 'id', ascending: true }];
    expect((await service.list({ ...players, sort }, context)).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(await service.count(players, context)).toBe(3);
    expect(await valuesOf(service, 'players', 'id', { field: 'team:code', operator: 'Equal', value: 'Abc' })).toEqual([
      1, 2, 3,
    ]);
    expect(await valuesOf(service, 'teams', 'code', { field: 'players:id', operator: 'Equal', value: 1 })).toEqual([
      'Abc',
    ]);
    const tags = await service.list({ collection: 'tags', relatedTo: team('tags') }, context);
    expect(tags.map(({ name }) => name)).toEqual(['new']);
  });

  it('records that refer to a text in another case: they are unlinked, and linked once', async () => {
    const service = serve((await open(statements)).dataSource);
    expect(await service.dissociate(team('players'), ids([1, 4]), false, context)).toBe(1);
    expect(await service.dissociate(team('players'), ids([2]), true, context)).toBe(1);
    expect(await service.count({ collection: 'players', relatedTo: team('players') }, context)).toBe(1);
    expect(await service.associate(team('tags'), ['new'], context)).toBe(true);
    expect(await service.count({ collection: 'team_tags' }, context)).toBe(2);
    const tag = { field: 'name', operator: 'In', value: ['new'] } as const;
    expect(await service.dissociate(team('tags'), tag, false, context)).toBe(1);
    expect(await valuesOf(service, 'team_tags', 'code')).toEqual(['x']);
    await service.linkToOne(team('badge'), null, context);
    expect(await service.list({ collection: 'badges' }, context)).toEqual([{ id: 1, code: null, team: null }]);
  });
}

describeOnPostgres('Loose texts of citext', (open) => {
  testRelations(open, ['create extension citext', ...loose('citext')]);
});

describeOnSqlite('Loose texts of nocase', (open) => {
  testRelations(open, loose('text collate nocase'));
});

describeOnSqlite('Loose texts of nocase that plain texts refer to', (open) => {
  testRelations(open, loose('text collate nocase', 'text'));
});

describeOnMysqlFamilyServers('Loose texts of the default collation', (open) => {
  testRelations(open, loose('varchar(9)'));

  it.each(['utf8mb4_general_ci', 'utf8mb4_bin', 'latin1_swedish_ci'])(
    'a declared relation between two collations is followed both ways: %s',
    async (collation) => {
      const { dataSource } = await open([
        'create table teams (code varchar(9) collate utf8mb4_unicode_ci primary key, label varchar(9))',
        `create table players (id int primary key, code varchar(9) collate ${collation}, key (code))`,
        "insert into teams values ('Abc', 'A'), ('x', 'X')",
        "insert into players values (1, 'ABC'), (2, 'Abc'), (3, 'x')",
      ]);
      const collector = createDeclarationCollector();
      collector.agent
        .customizeCollection('players', (on) => on.addManyToOneRelation('team', 'teams', { foreignKey: 'code' }))
        .customizeCollection('teams', (on) => on.addOneToManyRelation('players', 'players', { originKey: 'code' }));
      const service = serve(dataSource, {}, await collector.finish());
      const ids = collation.endsWith('_bin') ? [2] : [1, 2];
      const isOfTeam = { field: 'team:label', operator: 'Equal', value: 'A' } as const;
      expect(await valuesOf(service, 'players', 'id', isOfTeam)).toEqual(ids);
      const players = { collection: 'players', relatedTo: { collection: 'teams', relation: 'players', id: ['Abc'] } };
      expect(await service.count(players, context)).toBe(ids.length);
      expect(await valuesOf(service, 'teams', 'code', { field: 'players:id', operator: 'In', value: ids })).toEqual([
        'Abc',
      ]);
    },
  );
});

describeOnMysqlFamilyServers('Loose texts', (open) => {
  it('texts that differ in accents and trailing blanks: related records are those that the database joins', async () => {
    const { dataSource } = await open([
      'create table teams (code varchar(9) collate utf8mb4_general_ci primary key)',
      'create table players (id int primary key, code varchar(9) collate utf8mb4_general_ci, foreign key (code) references teams (code))',
      "insert into teams values ('Abc'), ('x')",
      "insert into players values (1, 'Ábc'), (2, 'abc '), (3, 'x')",
    ]);
    const service = serve(dataSource);
    const players = { collection: 'players', relatedTo: { collection: 'teams', relation: 'players', id: ['Abc'] } };
    expect((await service.list(players, context)).map(({ id }) => id)).toEqual([1, 2]);
    expect(await service.count(players, context)).toBe(2);
  });
});
