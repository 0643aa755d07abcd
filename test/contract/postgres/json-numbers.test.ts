import { describe } from 'vitest';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { describeJsonNumbers, jsonRows } from '../data-source/json-numbers-suite.ts';

const server = usePostgresServer();

describe.each(['json', 'jsonb'])('Numbers in documents of PostgreSQL in %s', (type) => {
  describeJsonNumbers(async () => {
    const database = await server.createDatabase(
      `create table ev (id int primary key, doc ${type}); insert into ev values ${jsonRows}`,
    );
    return {
      open: async () => createDataSourceOn(await openPostgresEngine(server.parameters(database))),
      stored: async (id) =>
        (await server.execute(database, `select doc::text as doc from ev where id = ${id}`))[0]?.['doc'],
    };
  });
});
