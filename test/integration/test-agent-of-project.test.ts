import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { startTestAgent } from '../../src/exports/agent-testing.ts';
import type { Agent } from '../../src/exports/index.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

async function createDatabase(file: string, statements: string): Promise<void> {
  const database = await openSqlite(file);
  database.execute(statements);
  database.close();
}

/** A project on two databases, which have tables of the same name. */
async function createProject(): Promise<string> {
  const root = await temporaryFolder();
  const tables = `create table orders (id integer primary key, label text, deleted_at datetime);
    create table sessions (id integer primary key); create table tbl_people (id integer primary key, name text);
    insert into orders values (1, 'first', null), (2, 'gone', '2026-01-02T00:00:00.000Z');`;
  await createDatabase(path.join(root, 'main.sqlite'), tables);
  await createDatabase(path.join(root, 'archive.sqlite'), tables);
  await writeFiles(root, {
    '.env': 'ARCHIVE_URL=sqlite:./archive.sqlite\n',
    'src/index.ts': 'export default () => undefined;',
    'vendor-cloud.json': JSON.stringify({
      name: 'two',
      dataSources: {
        main: {
          uri: 'sqlite:./main.sqlite',
          exclude: ['sessions'],
          rename: { tbl_people: 'people' },
          softDelete: { orders: 'deleted_at' },
        },
        archive: { uri: '${ARCHIVE_URL}', include: ['orders'], rename: 'old_' },
      },
    }),
  });
  return root;
}

function customize(agent: Agent): void {
  agent.customizeCollection('people', (people) => people.addSegment('All', { field: 'id', operator: 'Present' }));
}

it('a test agent without a data source serves the databases of the project as the project says', async () => {
  const root = await createProject();
  await mkdir(path.join(root, 'spec'));
  const { client, close } = await startTestAgent({ customize, project: path.join(root, 'spec') });
  try {
    const labels = async (name: string) => (await client.collection(name).list()).map((record) => record['label']);
    expect(await labels('orders')).toEqual(['first']);
    expect((await labels('old_orders')).sort()).toEqual(['first', 'gone']);
    expect(await client.collection('people').count()).toBe(0);
    for (const name of ['sessions', 'tbl_people', 'old_sessions', 'archive']) {
      await expect(async () => client.collection(name).count()).rejects.toThrow(name);
    }
  } finally {
    await close();
  }
});

it('a test agent says that there is no project, and that two options name databases', async () => {
  const folder = await temporaryFolder();
  await expect(startTestAgent({ project: folder })).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  await expect(startTestAgent({ project: folder, dataSource: [] })).rejects.toMatchObject({
    code: 'TEST_OPTION_INVALID',
  });
});
