import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportData } from '#flows/data/export-data';
import { importData } from '#flows/data/import-data';
import { resetData } from '#flows/data/reset-data';
import { flowContext } from '../helpers/flow-context.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const postgres = usePostgresServer();

async function projectOf(uri: string): Promise<string> {
  const root = await temporaryFolder();
  await mkdir(path.join(root, 'src'));
  await writeFiles(root, {
    'vendor-cloud.json': JSON.stringify({ name: 'kept', dataSources: { main: { uri } } }),
    'src/index.ts': 'export default () => undefined;',
  });
  return root;
}

/** A project on a new database made by `script`, and all of what a table of it holds, as the database writes it. */
async function postgresProject(script: string) {
  const { user, password = '', port } = postgres.parameters();
  const database = await postgres.createDatabase(script);
  const root = await projectOf(`postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`);
  const stored = (table: string) => postgres.execute(database, `select t::text as row from ${table} t order by 1`);
  return { root, database, stored };
}

async function thereAndBack(root: string, format: 'csv' | 'ndjson'): Promise<readonly string[]> {
  const context = flowContext(root);
  const { files } = await exportData(context, { folder: root, collections: [], format, target: format });
  await resetData(context, { folder: root, confirm: async ({ name }) => name });
  await importData(context, { folder: root, files: files.map((file) => file.path) });
  return Promise.all(files.map((file) => readFile(file.path, 'utf8')));
}

describe('what an export of PostgreSQL holds', () => {
  it.each(['ndjson', 'csv'] as const)('comes back from %s with documents, points, bytes and lists', async (format) => {
    const { root, stored } = await postgresProject(`
      create table things (
        id integer primary key, doc jsonb, place point, far double precision, tags text[], parts bytea[], fars real[]
      );
      insert into things values
        (1, '"text"', '(1.5,-2)', 'Infinity', '{a,NULL,"","NULL"}', array['\\x00ff'::bytea], '{NaN,1}'),
        (2, '"12"', null, '-Infinity', '{}', '{}', '{}'), (3, '"null"', '(0,0)', 'NaN', null, null, null),
        (4, '[1, "2"]', null, 0.1, null, null, null), (5, '""', null, null, null, null, null),
        (6, 'true', null, null, null, null, null);
    `);
    const before = await stored('things');
    await thereAndBack(root, format);
    expect(await stored('things')).toEqual(before);
  });

  it('comes back from NDJSON with empty texts apart from null', async () => {
    const { root, stored } = await postgresProject(`
      create table notes (id integer primary key, body text, tag varchar(9));
      insert into notes values (1, '', null), (2, null, ''), (3, 'null', '0');
    `);
    const before = await stored('notes');
    await thereAndBack(root, 'ndjson');
    expect(await stored('notes')).toEqual(before);
  });
});
