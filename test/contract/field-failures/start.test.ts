/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * Connect hangs with no timeout             | postgres/connection "to a server that does not answer fails in time",
 *                                           | mariadb/connection "gives up on a server that accepts and says nothing"
 * Pool exhausted by slow queries            | postgres/connection "waits for a free connection, but not for ever",
 *                                           | mariadb/connection "says so when every connection stays in use";
 *                                           | postgres/connection "is cancelled in the database when it takes too long",
 *                                           | mariadb/connection "cancels a query that takes too long"
 * Behind a pooler                           | postgres/connection "goes on unnamed when its prepared form is lost",
 *                                           | "is prepared once a connection, and not at all when that is off"
 * A server that goes away while it is used  | postgres/connection "a server that goes away",
 *                                           | mariadb/connection "heals when the server is killed and comes back"
 */
import path from 'node:path';
import { expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { describeOnMysqlFamilyServers, describeOnPostgres, type OpenDatabase, type RunningServer } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

const statements = ['create table notes (id int primary key, body varchar(9))', "insert into notes values (1, 'kept')"];

function startTests(open: OpenDatabase, server: RunningServer): void {
  it('serves the model of last time when it starts, and heals with no restart', async () => {
    const database = await open(statements);
    await server.stop();
    const dataSource = await database.reopen();
    expect(dataSource.collections.map(({ name }) => name)).toEqual(['notes']);
    expect(dataSource.warnings).toEqual([expect.stringContaining('cannot be reached')]);
    const service = serve(dataSource);
    const failure = await service.count({ collection: 'notes' }, context).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'DATABASE_UNREACHABLE', recover: 'retry' });
    await server.start();
    expect(await valuesOf(service, 'notes', 'body')).toEqual(['kept']);
  });

  it('is waited for when it was never read and is just being started', async () => {
    const database = await open(statements, { catalogueCache: undefined });
    await server.stop();
    const opening = database.reopen();
    await server.start();
    expect(await valuesOf(serve(await opening), 'notes', 'body')).toEqual(['kept']);
  });
}

describeOnPostgres('A database that is down at the start', startTests);
describeOnMysqlFamilyServers('A database that is down at the start', startTests);

it('A SQLite file that is missing at the start fails at once, and says what is missing', async () => {
  const storage = path.join(await temporaryFolder(), 'nothing.sqlite');
  await expect(createSqlDataSource({ dialect: 'sqlite', storage })()).rejects.toMatchObject({
    code: 'DATABASE_NOT_FOUND',
  });
});
