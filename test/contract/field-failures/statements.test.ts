/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * Checks that cost a round trip each        | "a read or a write of one record …"
 */
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { openMariadbEngine } from '#runtime/data-sources/mariadb/open-mariadb-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import type { SqlEngine, SqlTransaction } from '#runtime/data-sources/sql/sql-engine';
import { openSqliteEngine } from '#runtime/data-sources/sqlite/sqlite-engine';
import { describeOnMariadb, startMariadb } from '../../helpers/mariadb-server.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { context, serve } from './requests.ts';

const table = [
  'create table t (id int primary key, v varchar(9))',
  "insert into t values (1, 'a'), (2, 'b'), (3, 'c')",
];

/** The engine, and the verbs of the statements that it was given. */
function listening(engine: SqlEngine): { readonly engine: SqlEngine; readonly verbs: string[] } {
  const verbs: string[] = [];
  const noted = (sql: string) => {
    verbs.push(/^\w+/.exec(sql)?.[0] ?? sql);
    return sql;
  };
  const listeningSession = (session: SqlTransaction): SqlTransaction => ({
    all: (sql, parameters) => session.all(noted(sql), parameters),
    run: (sql, parameters) => session.run(noted(sql), parameters),
  });
  return {
    verbs,
    engine: {
      ...engine,
      read: (sql, parameters, about) => engine.read(noted(sql), parameters, about),
      transaction: (work, about) => engine.transaction((session) => work(listeningSession(session)), about),
    },
  };
}

function testStatements(open: () => Promise<SqlEngine>): void {
  it('a read or a write of one record by its id: it takes no statement that only checks', async () => {
    const { engine, verbs } = listening(await open());
    const dataSource = await createDataSourceOn(engine);
    onTestFinished(() => dataSource.close());
    const service = serve(dataSource);
    const verbsOf = async (work: Promise<unknown>) => {
      await work;
      return verbs.splice(0);
    };
    expect(await verbsOf(service.list({ collection: 't' }, context))).toEqual(['select']);
    expect(await verbsOf(service.get('t', [1], undefined, context))).toEqual(['select']);
    expect(await verbsOf(service.create('t', { id: 4 }, context))).toEqual(['insert', 'select']);
    // The record before, the write, and the record for the answer.
    const update = service.update('t', [1], { v: 'new' }, context);
    expect(await verbsOf(update)).toEqual(['select', 'update', 'select']);
    const one = { field: 'id', operator: 'In', value: [1] } as const;
    expect(await verbsOf(service.delete('t', one, context))).toEqual(['delete']);
    const two = { field: 'id', operator: 'In', value: [2, 3] } as const;
    expect(await verbsOf(service.delete('t', two, context))).toEqual(['delete']);
  });
}

describe('Statements on SQLite', () => {
  testStatements(async () => {
    const storage = path.join(await temporaryFolder(), 'data.sqlite');
    const connection = await openSqlite(storage);
    for (const statement of table) connection.execute(statement);
    connection.close();
    return openSqliteEngine(storage);
  });
});

describe('Statements on PostgreSQL', () => {
  const server = usePostgresServer();
  testStatements(() => server.openEngine(table.join(';')));
});

describeOnMariadb('Statements', () => {
  testStatements(async () => {
    const server = await startMariadb();
    onTestFinished(() => server.stop());
    const database = await server.createDatabase('statements', table);
    const { host, port, user, password } = server;
    return openMariadbEngine({ host, port, user, password, database });
  });
});
