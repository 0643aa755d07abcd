import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { describeSearchTerms } from './search-terms-suite.ts';

const kinds = `
  create table kinds (
    id integer primary key, whole integer, big bigint, exact decimal(12, 4), loose numeric, cash money, single real, flag boolean,
    words text, short varchar(40), loud text collate nocase, untyped, raw blob, day date, stamp datetime, made timestamp default current_timestamp,
    clock time, code uuid, doc json, colour text check (colour in ('red', 'blue', '5', 'NULL'))
  );
  insert into kinds values
    (1, 5, 9007199254740993, 5.5, 5.50, 5, 0.1, 1, 'a 5.5 red', '007', 'A', 5, x'00ff', '2024-02-29', '2024-02-29T10:20:30.000Z', '2024-02-29 10:20:30',
      '10:20:30', '6f1a9c4e-1111-4222-8333-444455556666', '{"a":1}', 'red'),
    (2, -1, -1, -0.5, 1e308, -0.5, 9e999, 0, '%_\\''"', 'é', 'RED', 'x', x'', '0001-01-01', '0001-01-01T00:00:00.000Z', '9999-12-31 23:59:59', '24:00:00',
      '6F1A9C4E-1111-4222-8333-444455556666', 'null', 'NULL');
  insert into kinds (id, made) values (3, null);`;

describe('A search on SQLite', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vendor-cloud-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describeSearchTerms(async () => {
    const file = path.join(folder, 'kinds.sqlite');
    const connection = await openSqlite(file);
    connection.execute(kinds);
    connection.close();
    return createSqlDataSource({ dialect: 'sqlite', storage: file })();
  });
});
