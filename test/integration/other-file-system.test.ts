import { readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { build } from '#flows/build/build';
import { exportData } from '#flows/data/export-data';
import type { FlowContext } from '#flows/flow-context';
import { backUp, restore } from '#flows/platform/copy-store';
import { storePlace } from '#flows/platform/store-place';
import { push } from '#flows/push/push';
import { updateTypings } from '#flows/schema/update-typings';
import { flowContext } from '../helpers/flow-context.ts';
import { folderIn, otherFileSystem } from '../helpers/other-file-system.ts';
import { startPlatformIn } from '../helpers/start-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const parent = otherFileSystem();
const reason = parent === undefined ? ' (skipped: this machine has one file system)' : '';

/** A project of one table. Its folder is beside the database, on the other file system. */
async function createProject(): Promise<FlowContext> {
  const place = await folderIn(parent ?? '');
  const context = flowContext(place);
  const database = await context.openDatabase(path.join(place, 'notes.sqlite'));
  database.execute(
    "create table notes (id integer primary key, text text not null); insert into notes values (1, 'first')",
  );
  database.close();
  const { path: root } = await bootstrap(context, {
    directory: 'admin',
    template: 'blank',
    uri: 'sqlite:./notes.sqlite',
  });
  return { ...context, workingFolder: root };
}

describe.skipIf(reason !== '')(`a project on another file system than the temporary folder${reason}`, () => {
  it('is created whole, and gets its types, its code and its data written on either of the two', async () => {
    const context = await createProject();
    const { workingFolder: root } = context;
    const elsewhere = await temporaryFolder();
    expect((await stat(root)).dev).not.toBe((await stat(elsewhere)).dev);
    expect((await readdir(path.dirname(root))).filter((name) => !name.startsWith('notes.sqlite'))).toEqual(['admin']);
    const typings = await readFile(path.join(root, 'typings.d.ts'), 'utf8');
    await rm(path.join(root, 'typings.d.ts'));
    await updateTypings(context, root);
    expect(await readFile(path.join(root, 'typings.d.ts'), 'utf8')).toBe(typings);
    for (const target of [path.join(root, 'data'), elsewhere]) {
      await exportData(context, { folder: root, collections: [], format: 'ndjson', target });
      expect(await readdir(target)).toEqual(['notes.ndjson']);
    }
    await build(context, { folder: root, out: elsewhere });
    expect(await readdir(elsewhere)).toContain('manifest.json');
  });

  it('is pushed to a platform, whose store is backed up onto the other file system and put back', {
    tags: 'long',
  }, async () => {
    const context = await createProject();
    const { workingFolder: root } = context;
    const platform = await startPlatformIn(root);
    onTestFinished(() => platform.stop());
    const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
    const { userToken } = await platform.provisionDevelopment({ project: 'admin', envSecret: 'a'.repeat(64), user });
    const variables = { SERVICE_SERVER_URL: platform.url, SERVICE_AUTH_TOKEN: userToken };
    const pushed = await push({ ...context, variables }, { folder: root, message: '', isDeployed: true });
    expect(pushed.deployment?.state).toBe('live');
    const storeAt = (name: string) => storePlace(context, `sqlite:${path.join(root, `${name}.sqlite`)}`, false, '');
    const file = path.join(await temporaryFolder(), 'platform.backup');
    const backedUp = await backUp(context, { store: storeAt('platform'), to: file });
    const put = await restore(context, { store: storeAt('restored'), from: file });
    expect(put.rows).toBe(backedUp.rows);
  });
});
