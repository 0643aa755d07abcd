import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { installedPackage } from '../helpers/installed-package.ts';
import { describeOnMysqlFamily } from '../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../helpers/mysql-family-server.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const statements = [
  'create table notes (id integer primary key, text varchar(20))',
  "insert into notes values (1, 'hello')",
];
const postgres = usePostgresServer();

/** The texts of the notes, or the code of the error, as the installed package reads them. No driver is installed beside it. */
async function notesOf(uri: string, factory: 'createSqlDataSource' | 'createMongoDataSource'): Promise<string> {
  const program = `
    const agent = await import('@vendor/cloud/agent');
    const open = agent.${factory}(process.argv[1], ${factory === 'createSqlDataSource' ? '{ startupTimeoutMs: 0 }' : '{}'});
    const read = async () => {
      const source = await open();
      try {
        const records = await source.list({ collection: 'notes', projection: ['text'] }, { timezone: 'UTC' });
        return records.map(({ text }) => text).join();
      } finally {
        await source.close();
      }
    };
    console.log(await read().catch((error) => error.code ?? String(error)));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', program, uri], {
    cwd: installedPackage().folder,
    env: { NODE_OPTIONS: '' },
  });
  return stdout;
}

it('the installed package reads SQLite', async () => {
  const file = `${await temporaryFolder()}/notes.sqlite`;
  const create = `
    import Database from 'better-sqlite3';
    new Database(process.argv[1]).exec(${JSON.stringify(statements.join(';'))});`;
  await execa(process.execPath, ['--input-type=module', '--eval', create, file], { cwd: installedPackage().folder });
  expect(await notesOf(`sqlite:${file}`, 'createSqlDataSource')).toBe('hello');
});

it('the installed package reads PostgreSQL', async () => {
  const database = await postgres.createDatabase(statements.join(';'));
  const { user, password = '', port } = postgres.parameters();
  const uri = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  expect(await notesOf(uri, 'createSqlDataSource')).toBe('hello');
});

it('the installed package has the driver of MongoDB, which finds no server here', async () => {
  const uri = 'mongodb://127.0.0.1:9/notes?serverSelectionTimeoutMS=200';
  expect(await notesOf(uri, 'createMongoDataSource')).toBe('DATABASE_UNREACHABLE');
});

describeOnMysqlFamily('the installed package', ({ start, dialect }) => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  it('reads it', async () => {
    const database = await server.createDatabase('notes', statements);
    const { user, password, host, port } = server;
    const uri = `${dialect}://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
    expect(await notesOf(uri, 'createSqlDataSource')).toBe('hello');
  });
});
