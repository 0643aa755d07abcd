import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMysql } from '#node/mysql/open-mysql';
import { introspectMariadb } from '#runtime/data-sources/mariadb/introspect-mariadb';
import { type MariadbParameters, openMariadbEngine } from '#runtime/data-sources/mariadb/open-mariadb-engine';
import type { SqlCatalogue } from '#runtime/data-sources/sql/sql-engine';
import { describeOnMysqlFamily, type FamilyMember } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

/** What MySQL writes otherwise: it has no types for UUIDs and addresses, and takes defaults of documents as expressions. */
function tablesOf({ dialect }: FamilyMember): string[] {
  if (dialect === 'mariadb') return mariadbTables;
  return mariadbTables.map((statement) =>
    statement
      .replace('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')
      .replace(`json default '{"a":1}'`, `json default ('{"a":1}')`)
      .replace('uid uuid default uuid()', 'uid char(36) default (uuid())')
      .replace('inet6', 'varchar(39)'),
  );
}

const mariadbTables = [
  `create table types (
    id bigint unsigned not null auto_increment primary key,
    flag tinyint(1) not null default 1, bits bit(1) default b'1', mask bit(12), wide bit(64),
    small smallint unsigned default 7, count int(11), big bigint default 9007199254740993,
    price decimal(12,2) default 1.50, ratio float, exact_ratio double unsigned, made year,
    name varchar(40) collate utf8mb4_nopad_bin default 'it''s', body longtext, latin char(3) character set latin1,
    mood enum('good','it''s ok','a,b') default 'good', tags set('x','y'),
    day date default '2020-02-29', at datetime(6) default '2020-01-01 10:00:00', stamp timestamp null,
    clock time(3), doc json default '{"a":1}', uid uuid default uuid(), ip inet6, raw varbinary(16), blobby mediumblob,
    place point, shape geometry, doubled int as (count * 2) stored, lazy int as (count + 1) virtual,
    noted text comment 'what was noted', nothing varchar(9) default 'NULL', word varchar(99) default (concat('it''s', ' \\\\')))
    comment 'one of each'`,
  'create table `order ``x`` "y" \\\\ ☃` (`SELECT` int, `Group By` varchar(9), primary key (`SELECT`, `Group By`))',
  `create table parts (id int primary key, \`key\` int, word varchar(9),
    constraint \`to ugly\` foreign key (\`key\`, word) references \`order \`\`x\`\` "y" \\\\ ☃\` (\`SELECT\`, \`Group By\`),
    unique (word), unique part (word(3)))`,
  'create table no_key (a int, b int)',
  'create table nodes (id int primary key, parent_id int, foreign key (parent_id) references nodes (id) on delete set null)',
  'create view busy as select id, name, count + 1 as more from types',
  'create table gone (id int primary key)',
  'create view broken as select id from gone',
  'drop table gone',
];

describeOnMysqlFamily('Introspection', (member) => {
  const isMysql = member.dialect === 'mysql';
  let server: MysqlFamilyServer;
  let parameters: MariadbParameters;
  let catalogue: SqlCatalogue;
  const table = (name: string) => catalogue.tables.find((candidate) => candidate.name === name);
  const column = (name: string) => table('types')?.columns.find((candidate) => candidate.name === name);

  beforeAll(async () => {
    server = await member.start();
    await server.createDatabase('shop', tablesOf(member));
    await server.createDatabase('other', [
      'create table parents (id int primary key)',
      'create table children (id int primary key, parent int, foreign key (parent) references shop.nodes (id) on delete cascade)',
    ]);
    await server.createDatabase('empty', []);
    await server.createDatabase('third', [
      'create table links (id int primary key, parent int, foreign key (parent) references other.parents (id))',
    ]);
    parameters = {
      host: server.host,
      port: server.port,
      user: server.user,
      password: server.password,
      database: 'shop',
    };
    catalogue = await introspected(parameters);
  });
  afterAll(() => server?.stop());

  it.each([
    ['id', { type: 'Number', isExact: true, isAutoIncrement: true, isNullable: false, hasDefault: true }],
    ['flag', { type: 'Boolean', isNullable: false, defaultValue: true }],
    ['bits', { type: 'Boolean', defaultValue: true }],
    ['mask', { type: 'Number', isExact: false, hasDefault: false }],
    ['wide', { type: 'Number', isExact: true }],
    [
      'small',
      {
        type: 'Number',
        isExact: false,
        defaultValue: 7,
        nativeType: isMysql ? 'smallint unsigned' : 'smallint(5) unsigned',
      },
    ],
    ['big', { type: 'Number', isExact: true, defaultValue: '9007199254740993' }],
    ['price', { type: 'Number', isExact: true, defaultValue: '1.50' }],
    ['ratio', { type: 'Number', isExact: false }],
    ['exact_ratio', { type: 'Number', isExact: false }],
    ['made', { type: 'Number', isExact: false }],
    [
      'name',
      {
        type: 'String',
        defaultValue: "it's",
        nativeType: `varchar(40) collate ${isMysql ? 'utf8mb4_0900_bin' : 'utf8mb4_nopad_bin'}`,
      },
    ],
    ['body', { type: 'String', hasDefault: false }],
    ['mood', { type: 'Enum', enumValues: ['good', "it's ok", 'a,b'], defaultValue: 'good' }],
    ['tags', { type: 'String' }],
    ['day', { type: 'Dateonly', defaultValue: '2020-02-29' }],
    ['at', { type: 'Date', defaultValue: '2020-01-01T10:00:00.000Z' }],
    ['stamp', { type: 'Date', isNullable: true }],
    ['clock', { type: 'Time', isDuration: true }],
    ['doc', { type: 'Json', hasDefault: true, ...(isMysql ? {} : { defaultValue: { a: 1 } }) }],
    ['uid', { type: isMysql ? 'String' : 'Uuid', hasDefault: true }],
    ['nothing', { type: 'String', hasDefault: true, defaultValue: 'NULL' }],
    ['word', { type: 'String', hasDefault: true }],
    ['ip', { type: 'String' }],
    ['raw', { type: 'Binary' }],
    ['blobby', { type: 'Binary' }],
    ['place', { type: 'Json', isOpaque: true }],
    ['shape', { type: 'Json', isOpaque: true }],
    ['doubled', { type: 'Number', isGenerated: true }],
    ['lazy', { type: 'Number', isGenerated: true }],
    ['noted', { type: 'String', comment: 'what was noted' }],
  ])('describes the column %s', (name, expected) => {
    expect(column(name)).toMatchObject(expected);
  });

  it('takes an expression for a default without a value', () => {
    expect(column('uid')).not.toHaveProperty('defaultValue');
    expect(column('word')).not.toHaveProperty('defaultValue');
  });

  it('keeps comments of tables', () => {
    expect(table('types')?.comment).toBe('one of each');
  });

  it('reads names with spaces, quotes, backslashes, reserved words and symbols, and composite keys of them', () => {
    const ugly = 'order `x` "y" \\\\ ☃';
    expect(table(ugly)).toMatchObject({ primaryKey: ['SELECT', 'Group By'] });
    expect(table('parts')?.foreignKeys).toEqual([
      { columns: ['key', 'word'], foreignTable: ugly, foreignColumns: ['SELECT', 'Group By'], onDelete: 'refuse' },
    ]);
  });

  it('does not take an index on the first characters of a column for a key', () => {
    expect(table('parts')?.uniqueKeys).toEqual([['word']]);
  });

  it('describes views, and leaves out one whose tables are gone', () => {
    expect(table('busy')).toMatchObject({ isView: true, primaryKey: [] });
    expect(table('broken')).toBeUndefined();
    expect(catalogue.warnings).toContainEqual(expect.stringContaining('"broken"'));
  });

  it('refers a table to itself', () => {
    expect(table('nodes')?.foreignKeys).toEqual([
      { columns: ['parent_id'], foreignTable: 'nodes', foreignColumns: ['id'], onDelete: 'unlink' },
    ]);
  });

  it('keeps keys into another database that is included, and warns of one that is not', async () => {
    const both = await introspected({ ...parameters, furtherDatabases: ['other'] });
    expect(both.tables.find(({ name }) => name === 'other.children')).toMatchObject({
      table: { schema: 'other', name: 'children' },
      foreignKeys: [{ columns: ['parent'], foreignTable: 'nodes', foreignColumns: ['id'], onDelete: 'cascade' }],
    });
    const third = await introspected({ ...parameters, database: 'third' });
    expect(third.tables).toMatchObject([{ name: 'links', foreignKeys: [] }]);
    expect(third.warnings).toEqual([expect.stringContaining('"other.parents"')]);
  });

  it('warns of databases without tables, whose names may be misspelt', async () => {
    const { warnings } = await introspected({ ...parameters, database: 'empty', furtherDatabases: ['thrid'] });
    expect(warnings).toEqual([
      'The database "empty" has no table that its user may see. Create its tables, give the user the right to read them, or name another database in the address.',
      'The database "thrid" has no table that its user may see, or does not exist. Name further databases behind the address: ?schema=<name>,<name>',
    ]);
  });

  it('asks nine questions however many tables there are', async () => {
    const database = await openMysql(parameters);
    let questions = 0;
    await introspectMariadb(
      (sql, values) => {
        questions += 1;
        return database.all(sql, values);
      },
      ['shop', 'other', 'third'],
    );
    await database.close();
    expect(questions).toBe(9);
  });

  it('has a fingerprint that changes with a column, a key, a check and a comment, and with nothing else', async () => {
    const engine = await openMariadbEngine({ ...parameters, database: 'third' });
    const admin = await server.connect('third');
    const seen = [await engine.fingerprint(), await engine.fingerprint()];
    expect(seen[0]).toBe(seen[1]);
    await admin.query('insert into other.parents values (1)');
    await admin.query('insert into links values (1, 1)');
    expect(await engine.fingerprint()).toBe(seen[0]);
    for (const change of [
      'alter table links add column more varchar(9)',
      'alter table links modify more varchar(10)',
      'alter table links add unique (more)',
      "alter table links modify more varchar(10) comment 'x'",
      'create table fresh (id int)',
      'alter table fresh add constraint large check (id > 1)',
      'alter table fresh drop constraint large, add constraint large check (id > 2)',
    ]) {
      await admin.query(change);
      seen.push(await engine.fingerprint());
    }
    expect(new Set(seen).size).toBe(seen.length - 1);
    await admin.end();
    await engine.close();
  });
});

async function introspected(parameters: MariadbParameters): Promise<SqlCatalogue> {
  const engine = await openMariadbEngine(parameters);
  try {
    return await engine.introspect();
  } finally {
    await engine.close();
  }
}
