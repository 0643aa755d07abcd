import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import type { PostgresServer } from '../../../helpers/postgres-server.ts';
import { postgresPlace } from '../../../helpers/store-engines.ts';

/** Values as both engines give them. */
export type StoreRow = Readonly<Record<string, string | number | null>>;

/** A store in the hands of somebody who can write to it past the platform: triggers and foreign keys do not hold them up. */
export interface AttackedStore {
  readonly place: SqlConnectionParams;
  rows(table: string): Promise<readonly StoreRow[]>;
  /** Statements in one transaction. Rejects where the database itself refuses them. */
  execute(statements: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Gives a copy of a store, again and again. */
export type CopyStore = () => Promise<AttackedStore>;

/** @param file of a store that nobody uses. */
export function copiesOfFile(file: string, folder: string): CopyStore {
  const storage = path.join(folder, 'attacked.sqlite');
  return async () => {
    await copyFile(file, storage);
    const connection = await openSqlite(storage);
    connection.execute('pragma journal_mode = delete; pragma foreign_keys = off');
    const triggers = connection.all("select name from sqlite_schema where type = 'trigger'");
    for (const { name } of triggers) connection.execute(`drop trigger ${String(name)}`);
    return {
      place: { dialect: 'sqlite', storage },
      rows: async (table) => connection.all(`select * from ${table}`) as StoreRow[],
      execute: async (statements) => {
        connection.transaction(() => {
          for (const statement of statements) connection.execute(statement);
        });
      },
      close: async () => connection.close(),
    };
  };
}

/** @param database of a store that nobody uses. */
export function copiesOfDatabase(server: PostgresServer, database: string): CopyStore {
  let name = '';
  return async () => {
    if (name !== '') await server.execute('postgres', `drop database ${name}`);
    name = `attacked_${crypto.randomUUID().replaceAll('-', '')}`;
    const copied = name;
    await server.execute('postgres', `create database ${copied} template ${database}`);
    const asSuperuser = 'set search_path to vendor_cloud; set session_replication_role = replica';
    return {
      place: postgresPlace(server, copied),
      rows: async (table) => {
        const rows = await server.execute(copied, `${asSuperuser}; select row_to_json(t) as row from ${table} t`);
        return rows.map(({ row }) => row as StoreRow);
      },
      execute: async (statements) => {
        await server.execute(copied, [asSuperuser, 'begin', ...statements, 'commit'].join(';\n'));
      },
      close: async () => undefined,
    };
  };
}
