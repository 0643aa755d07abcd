import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { generate } from '#flows/generate/generate';
import { updateTypings } from '#flows/schema/update-typings';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { addDataSource } from '#project/index';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const linked = { code: 'PROJECT_FILE_LINKED' };

it('the typings of a project are written through no link', async () => {
  const root = await createShopProject();
  const context = flowContext(root);
  const outside = path.join(await temporaryFolder(), 'precious');
  await writeFile(outside, 'precious');
  const typings = path.join(root, 'typings.d.ts');
  await rename(typings, `${typings}.old`).catch(() => undefined);
  await symlink(outside, typings);
  await expect(updateTypings(context, root)).rejects.toMatchObject(linked);
  await expect(readFile(outside, 'utf8')).resolves.toBe('precious');
});

it.each(['vendor-cloud.json', '.env'])('a database is added through no link in the place of %s', async (name) => {
  const root = await createShopProject();
  const outside = path.join(await temporaryFolder(), name);
  const file = path.join(root, name);
  await rename(file, outside).catch(() => writeFile(outside, ''));
  await symlink(outside, file);
  const before = await readFile(outside, 'utf8');
  const variable = { name: 'PETS_URL', value: 'postgres://localhost/pets' };
  const added = addDataSource(flowContext(root).fs, root, { name: 'pets', source: { uri: '${PETS_URL}' }, variable });
  await expect(added).rejects.toMatchObject(linked);
  await expect(readFile(outside, 'utf8')).resolves.toBe(before);
});

it('generated code is written into no linked folder', async () => {
  const root = await createShopProject();
  const context = flowContext(root);
  const outside = await temporaryFolder();
  await rename(path.join(root, 'test'), path.join(root, 'test.old')).catch(() => undefined);
  await symlink(outside, path.join(root, 'test'));
  await expect(
    generate(context, { folder: root, kind: 'action', name: 'Ship', collection: 'orders' }),
  ).rejects.toMatchObject(linked);
  expect(await readdir(outside)).toEqual([]);
});

it.each(['a folder', 'nothing'])('a project is made at no link to %s', async (what) => {
  const folder = await temporaryFolder();
  const outside = path.join(folder, 'outside');
  if (what === 'a folder') await mkdir(outside);
  await symlink(outside, path.join(folder, 'admin'));
  const database = await openSqlite(path.join(folder, 'pets.sqlite'));
  database.execute('create table pets (id integer primary key)');
  database.close();
  const input = { directory: 'admin', template: 'blank', uri: 'sqlite:./pets.sqlite' } as const;
  await expect(bootstrap(flowContext(folder), input)).rejects.toMatchObject({ code: 'PROJECT_EXISTS' });
  const made = what === 'a folder' ? await readdir(outside) : await readdir(folder);
  expect(made.filter((name) => name !== 'admin' && name !== 'pets.sqlite')).toEqual([]);
});
