import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { moveStore, writeBackup } from '#platform/index';
import { restoreBackup } from '#platform/transfer/restore-backup';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const engines = useStoreEngines();

/** A store that an older version left, which no newer one has opened. */
async function olderStore(): Promise<string> {
  const file = path.join(await temporaryFolder(), 'older.sqlite');
  const connection = await openSqlite(file);
  connection.execute(await readFile(new URL('../../fixtures/store/version-5.sql', import.meta.url), 'utf8'));
  connection.close();
  return file;
}

it.each(engines)(
  'a backup of version 5 is restored on $engine and brought to the newest version',
  async ({ newPlace }) => {
    const older = await olderStore();
    const file = path.join(path.dirname(older), 'older.backup');
    const progress = () => undefined;
    await writeBackup({ store: `sqlite:${older}`, file, madeAt: '', madeBy: '0.0.9', progress });
    const place = await newPlace();
    const { header } = await restoreBackup({ file, store: place, progress });
    expect(header).toMatchObject({ storeVersion: 5, madeBy: '0.0.9' });
    const store = await openTestStore(place);
    const identity = createIdentityRepository(store);
    expect(await identity.listMembers(1)).toMatchObject([{ email: 'ada@example.test' }]);
    expect(await store.db.selectFrom('passwords').selectAll().execute()).toEqual([]);
    // Reading it made nothing newer of it.
    await moveStore({ from: `sqlite:${older}`, to: await newPlace(), progress });
  },
);
