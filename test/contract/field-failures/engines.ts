import path from 'node:path';
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { SqlDataSourceOptions } from '#runtime/data-sources/sql/sql-data-source-options';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import type { Dialect } from '../data-source/ddl.ts';

/** A database of one test, served by a data source that keeps its catalogue. */
interface TestDatabase {
  readonly dataSource: DataSource;
  /** Run statements outside of the product. */
  execute(...statements: string[]): Promise<void>;
  /** What an agent that is started now would serve. */
  reopen(): Promise<DataSource>;
}

/** A new database made by `statements`, in which names are quoted with `"`. */
export type OpenDatabase = (statements: readonly string[], options?: SqlDataSourceOptions) => Promise<TestDatabase>;

interface MadeDatabase {
  readonly connection: SqlConnectionParams;
  execute(...statements: string[]): Promise<void>;
}

/** The same tests on SQLite, PostgreSQL, MariaDB and MySQL. */
export function describeOnEngines(name: string, suite: (open: OpenDatabase, dialect: Dialect) => void): void {
  describeOnSqlite(name, (open) => suite(open, 'sqlite'));
  describeOnPostgres(name, (open) => suite(open, 'postgres'));
  describeOnMysqlFamilyServers(name, (open, _server, dialect) => suite(open, dialect));
}

export function describeOnSqlite(name: string, suite: (open: OpenDatabase) => void): void {
  describe(`${name} on SQLite`, () => suite(opener(makeSqlite)));
}

/** A server that can be stopped and started again under a test. */
export interface RunningServer {
  stop(): Promise<void>;
  start(): Promise<void>;
}

export function describeOnPostgres(name: string, suite: (open: OpenDatabase, server: RunningServer) => void): void {
  describe(`${name} on PostgreSQL`, () => {
    const server = usePostgresServer();
    const make = async (statements: readonly string[]): Promise<MadeDatabase> => {
      const database = await server.createDatabase(statements.join(';\n'));
      const { user: username, ...where } = server.parameters(database);
      return {
        connection: { dialect: 'postgres', ...where, database, username },
        execute: async (...more) => void (await server.execute(database, more.join(';\n'))),
      };
    };
    suite(opener(make), server);
  });
}

export function describeOnMysqlFamilyServers(
  name: string,
  suite: (open: OpenDatabase, server: RunningServer, dialect: 'mariadb' | 'mysql') => void,
): void {
  describeOnMysqlFamily(name, ({ dialect, start }) => {
    let server: MysqlFamilyServer | undefined;
    let databases = 0;
    const running = () => {
      if (!server) throw new Error('The server is there while tests run.');
      return server;
    };
    beforeAll(async () => {
      server = await start([
        '--sql-mode=ANSI_QUOTES,STRICT_TRANS_TABLES',
        // What was committed is there again after the server was killed.
        '--innodb-flush-log-at-trx-commit=2',
      ]);
    });
    afterAll(() => server?.stop());
    const make = async (statements: readonly string[]): Promise<MadeDatabase> => {
      databases += 1;
      const database = await running().createDatabase(`failures_${databases}`, statements);
      const { host, port, user: username, password } = running();
      return {
        connection: { dialect, host, port, database, username, password },
        async execute(...more) {
          const connection = await running().connect(database);
          try {
            for (const statement of more) await connection.query(statement);
          } finally {
            await connection.end();
          }
        },
      };
    };
    suite(opener(make), { stop: () => running().kill(), start: () => running().restart() }, dialect);
  });
}

function opener(make: (statements: readonly string[]) => Promise<MadeDatabase>): OpenDatabase {
  return async (statements, options = {}) => {
    const { connection, execute } = await make(statements);
    const catalogueCache = path.join(await temporaryFolder(), 'catalogue.json');
    const reopen = async () => {
      const dataSource = await createSqlDataSource(connection, { catalogueCache, ...options })();
      onTestFinished(() => dataSource.close());
      return dataSource;
    };
    return { dataSource: await reopen(), execute, reopen };
  };
}

async function makeSqlite(statements: readonly string[]): Promise<MadeDatabase> {
  const storage = path.join(await temporaryFolder(), 'data.sqlite');
  const execute = async (...more: string[]) => {
    const connection = await openSqlite(storage);
    for (const statement of more) connection.execute(statement);
    connection.close();
  };
  await execute(...statements);
  return { connection: { dialect: 'sqlite', storage }, execute };
}
