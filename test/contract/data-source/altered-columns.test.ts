import path from 'node:path';
import { describe } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { describeAlteredColumns } from './altered-columns-suite.ts';

describe('A column of SQLite that is altered', () => {
  describeAlteredColumns({
    // SQLite alters a type by a table that takes the place of the old one.
    toText: [
      'begin immediate',
      'create table altered (id int primary key, code varchar(20), note varchar(9))',
      'insert into altered select * from codes',
      'drop table codes',
      'alter table altered rename to codes',
      'commit',
    ],
    async create(script) {
      const file = path.join(await temporaryFolder(), 'altered.sqlite');
      const connection = await openSqlite(file);
      for (const statement of script) connection.execute(statement);
      return {
        open: createSqlDataSource({ dialect: 'sqlite', storage: file }),
        execute: async (sql) => connection.execute(sql),
        rows: async (sql) => connection.all(sql, []),
        close: async () => connection.close(),
      };
    },
  });
});
