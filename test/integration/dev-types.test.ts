import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { startDevSession } from '../helpers/dev-session.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const typescript = path.resolve(import.meta.dirname, '../../node_modules/typescript');

it('a dev session tells type errors after the reload, and when they are fixed, also where the code stays the same', async () => {
  const root = await createShopProject();
  await mkdir(path.join(root, 'node_modules'), { recursive: true });
  await symlink(typescript, path.join(root, 'node_modules/typescript'));
  // Types of this package are not looked at, because they are compiled first.
  await writeFile(
    path.join(root, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { strict: true, types: [] }, include: ['src'] }),
  );
  const good = 'export default function customize(_agent: unknown): void {}\n';
  const entry = path.join(root, 'src/index.ts');
  await writeFile(entry, good);
  const session = await startDevSession(root);

  await writeFile(entry, `export const one: string = 1;\n${good}`);
  await session.next('reloaded');
  const { errors } = await session.next('types');
  expect(errors).toMatchObject([
    {
      file: entry,
      line: 1,
      column: 14,
      code: 'TS2322',
      frame: expect.stringContaining('> 1 | export const one: string = 1;'),
    },
  ]);

  // The bundle is the same without its types, so nothing is loaded.
  await writeFile(entry, (await readFile(entry, 'utf8')).replace('string', 'number'));
  expect(await session.next('types')).toEqual({ event: 'types', errors: [] });
});
