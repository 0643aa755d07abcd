import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { migrations } from '#platform/store/migrations/index';
import { statementsOf } from '#platform/store/migrations/migration';
import decisions from './columns-of-people.json' with { type: 'json' };

/** Columns that may hold a person: what refers to an account or is named like a person, and every text. */
async function columnsOfStore(): Promise<readonly string[]> {
  const store = await openSqlite(':memory:');
  for (const migration of migrations)
    for (const statement of statementsOf(migration('sqlite'))) store.execute(statement);
  const rows = store.all(`
    select tables.name as "table", columns.name as "column" from sqlite_schema tables
    join pragma_table_info(tables.name) columns
    where tables.type = 'table' and tables.name not like 'sqlite_%'
    and (lower(columns.type) <> 'integer'
      or columns.name in (select "from" from pragma_foreign_key_list(tables.name) where "table" = 'users')
      or columns.name glob '*user*' or columns.name glob '*person*' or columns.name glob '*account*'
      or columns.name glob '*author*' or columns.name glob '*owner*' or columns.name glob '*_by')`);
  store.close();
  return rows.map(({ table, column }) => `${table}.${column}`).sort();
}

it('erase-person has a decision about each column that may hold a person', async () => {
  const decided = Object.values(decisions).flatMap((tables) =>
    Object.entries(tables).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
  );
  expect(decided.sort()).toEqual(await columnsOfStore());
});
