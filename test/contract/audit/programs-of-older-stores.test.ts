import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { findChain } from '#platform/audit/audit-chains';
import { readLog } from '#platform/audit/read-log';
import { verifyStore } from '#platform/audit/verify-store';
import { moveStore } from '#platform/index';
import { migrateSqlite } from '#platform/store/migrate-sqlite';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { AuditedPlatform, platformKey } from './tampering/audited-platform.ts';

/** The last version that found no rows by their program. */
const versionBefore = 33;
const columns = ['client_id', 'client_name', 'tool'];

/** A store of that version with a log of acts of people and of programs. */
async function olderStore(): Promise<string> {
  const folder = await temporaryFolder();
  const [file, older] = [path.join(folder, 'newest.sqlite'), path.join(folder, 'older.sqlite')];
  const platform = new AuditedPlatform({ dialect: 'sqlite', storage: file }, { keepsValues: false });
  await platform.use(async (store) => {
    await platform.provision(store);
    await platform.appendToAll(store, 4);
    await platform.checkpointsOf(store).signAll();
  });
  const connection = await openSqlite(older);
  migrateSqlite(connection, older, versionBefore);
  connection.execute(`attach '${file}' as newest`);
  const tables = connection.all("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'", []);
  for (const { name } of tables) {
    const kept = connection
      .all(`select name from pragma_table_info('${String(name)}')`, [])
      .map((column) => String(column['name']));
    connection.execute(`delete from "${String(name)}"`);
    connection.execute(
      `insert into "${String(name)}" (${kept.join(', ')}) select ${kept.join(', ')} from newest."${String(name)}"`,
    );
  }
  expect(connection.all('select * from audit_rows limit 1', [])[0]).not.toHaveProperty(columns[0] ?? '');
  connection.close();
  return older;
}

it.each(useStoreEngines())(
  'rows of an older store on $engine are found by the program that they name',
  async ({ newPlace }) => {
    const place = await newPlace();
    await moveStore({ from: `sqlite:${await olderStore()}`, to: place, progress: () => undefined });
    const store = await openTestStore(place);
    const chain = await findChain(store.db, { kind: 'activity', environmentId: 1 });
    if (!chain) throw new Error('There is no log.');
    const found = async (filter: object) => {
      const { rows } = await readLog(store.db, chain, filter, { limit: 100, order: 'asc' });
      return rows.map(({ entry }) => entry.object === 'activityLog' && [entry.client?.id, entry.tool]);
    };
    expect(await found({ client: 'nightly' })).toEqual([['nightly', undefined]]);
    expect(await found({ client: 'Claude' })).toEqual([['7', 'list']]);
    expect(await found({ client: '7' })).toEqual([
      ['7', 'list'],
      ['8', 'update'],
    ]);
    expect(await found({ tool: 'update' })).toEqual([['8', 'update']]);
    // Rows are final again.
    const changed = store.transaction(({ db }) => db.updateTable('auditRows').set({ clientId: 'other' }).execute());
    await expect(changed).rejects.toThrow();
    const { logs } = await verifyStore(place, { platformKey, anchors: [] });
    expect(logs.map(({ problem }) => problem)).toEqual(logs.map(() => null));
  },
);
