import { describe } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { describeAlteredColumns } from '../data-source/altered-columns-suite.ts';

describe('A column of PostgreSQL that is altered', () => {
  const server = usePostgresServer();

  describeAlteredColumns({
    toText: ['alter table codes alter column code type varchar(20)'],
    widening: {
      type: 'real',
      alter: 'alter table widened alter column value type decimal(20,6)',
      before: 1.5,
      after: 1234567.891234,
    },
    async create(script) {
      const database = await server.createDatabase(script.join(';'));
      const { host, port, user: username, password } = server.parameters();
      return {
        open: createSqlDataSource({ dialect: 'postgres', host, port: port ?? 0, database, username, password }),
        execute: (sql) => server.execute(database, sql),
        rows: (sql) => server.execute(database, sql),
        close: async () => undefined,
      };
    },
  });
});
