import type { Connection } from 'mysql2/promise';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { AlteredColumnsSubject } from './altered-columns-suite.ts';

/** What the suite needs of a server of MariaDB or MySQL. */
export interface AlteredServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  createDatabase(name: string, statements?: readonly string[]): Promise<string>;
  connect(database?: string): Promise<Connection>;
}

export function alteredMysqlColumns(
  dialect: 'mariadb' | 'mysql',
  serverOf: () => AlteredServer,
): AlteredColumnsSubject {
  let databases = 0;
  return {
    toText: ['alter table codes modify code varchar(20)'],
    widening: {
      type: 'varchar(20) character set latin1',
      alter: 'alter table widened modify value varchar(20) character set utf8mb4',
      before: 'Zoë',
      after: '日本',
    },
    async create(script) {
      databases += 1;
      const server = serverOf();
      const database = await server.createDatabase(`altered_${databases}`, script);
      const connection = await server.connect(database);
      const { host, port, user: username, password } = server;
      return {
        open: createSqlDataSource({ dialect, host, port, database, username, password }),
        execute: (sql) => connection.query(sql),
        rows: async (sql) => (await connection.query(sql))[0] as Record<string, unknown>[],
        close: () => connection.end(),
      };
    },
  };
}
