import path from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { describeJsonNumbers, jsonRows } from './json-numbers-suite.ts';

describe('Numbers in documents of SQLite', () => {
  describeJsonNumbers(async () => {
    const storage = path.join(await temporaryFolder(), 'json.sqlite');
    const connection = await openSqlite(storage);
    onTestFinished(() => connection.close());
    connection.execute(`create table ev (id integer primary key, doc json); insert into ev values ${jsonRows}`);
    return {
      open: createSqlDataSource({ dialect: 'sqlite', storage }),
      stored: async (id) => connection.all('select doc from ev where id = ?', [id])[0]?.['doc'],
    };
  });
});
