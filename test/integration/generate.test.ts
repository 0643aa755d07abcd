import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { type GeneratedFiles, type GenerateInput, generate } from '#flows/generate/generate';
import { exec } from '#flows/run/exec';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const tsc = path.join(repository, 'node_modules/typescript/bin/tsc');

async function createBlankProject(): Promise<string> {
  const folder = await temporaryFolder();
  const connection = await openSqlite(path.join(folder, 'library.sqlite'));
  connection.execute("create table books (isbn text primary key, title text); insert into books values ('1', 'Emma')");
  connection.close();
  const input = { directory: 'blank', template: 'blank', uri: 'sqlite:./library.sqlite' } as const;
  return (await bootstrap(flowContext(folder), input)).path;
}

/** One of each kind. */
async function generateAll(root: string, collection: string): Promise<GeneratedFiles[]> {
  const inputs: Omit<GenerateInput, 'folder'>[] = [
    { kind: 'action', name: 'Mark as paid', collection },
    { kind: 'field', name: 'shortLabel', collection },
    { kind: 'segment', name: 'Everything', collection },
    { kind: 'hook', name: 'before-create', collection },
    { kind: 'chart', name: 'How many' },
    { kind: 'plugin', name: 'creation log' },
    { kind: 'test', name: 'they are listed', collection },
  ];
  const generated: GeneratedFiles[] = [];
  for (const input of inputs) generated.push(await generate(flowContext(root), { folder: root, ...input }));
  return generated;
}

/** What the compiler says of both projects, with the settings of the templates and the sources of this package. */
async function compile(roots: readonly string[]): Promise<string> {
  const [root = ''] = roots;
  const { compilerOptions } = JSON.parse(
    (await readFile(path.join(root, 'tsconfig.json'), 'utf8')).replaceAll(/^\s*\/\/.*$/gm, ''),
  ) as { compilerOptions: object };
  const settings = {
    compilerOptions: {
      ...compilerOptions,
      lib: ['es2024', 'dom'],
      types: ['node'],
      typeRoots: [path.join(repository, 'node_modules/@types')],
      customConditions: ['vendor-source'],
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      paths: { '@vendor/cloud': [path.join(repository, 'src/exports/index.ts')] },
    },
    include: roots.flatMap((each) => ['src', 'test', 'typings.d.ts'].map((name) => path.join(each, name))),
  };
  const file = path.join(root, 'tsconfig.generated.json');
  await writeFile(file, JSON.stringify(settings));
  const { stdout } = await execa(process.execPath, [tsc, '--project', file, '--pretty', 'false'], { reject: false });
  return stdout;
}

/** Run the tests of a project against an agent of its own, which bundles and loads the code first. */
function runTests(root: string) {
  return exec(flowContext(root), {
    folder: root,
    words: [process.execPath, '--test'],
    output: 'stderr',
    developer: { name: 'Test Developer', email: 'developer@test.local' },
    signal: new AbortController().signal,
  });
}

describe('generate', () => {
  it('writes code of each kind that compiles, loads, and passes its tests, in both templates', {
    tags: 'long',
  }, async () => {
    const [shop, blank] = [await createShopProject(), await createBlankProject()];
    for (const [root, collection] of [
      [shop, 'orders'],
      [blank, 'books'],
    ] as const) {
      const generated = await generateAll(root, collection);
      const entry = path.join(root, 'src/index.ts');
      expect(generated.map(({ registeredIn }) => registeredIn)).toEqual([
        entry,
        entry,
        entry,
        entry,
        entry,
        entry,
        null,
      ]);
    }
    expect(await compile([shop, blank])).toBe('');
    expect(await readFile(path.join(blank, 'src/index.ts'), 'utf8')).toContain('customize(agent: Agent<Schema>)');
    expect([(await runTests(shop)).exitCode, (await runTests(blank)).exitCode]).toEqual([0, 0]);
  });

  it('writes code that compiles about collections and plugins whose names are words of the language', {
    tags: 'long',
  }, async () => {
    const folder = await temporaryFolder();
    const connection = await openSqlite(path.join(folder, 'odd.sqlite'));
    connection.execute('create table class (id integer primary key, "new" text); insert into class values (1, null)');
    connection.execute('create table "Order `Line` ${x} \'s" (id integer primary key, "select" text)');
    connection.close();
    const input = { directory: 'odd', template: 'blank', uri: 'sqlite:./odd.sqlite' } as const;
    const { path: root } = await bootstrap(flowContext(folder), input);
    await generateAll(root, 'class');
    const more: Omit<GenerateInput, 'folder'>[] = [
      { kind: 'action', name: 'delete', collection: 'class' },
      { kind: 'field', name: 'constructor', collection: 'class' },
      { kind: 'hook', name: 'after-list', collection: "Order `Line` ${x} 's" },
      { kind: 'field', name: 'new', collection: "Order `Line` ${x} 's" },
      { kind: 'plugin', name: 'default' },
      { kind: 'plugin', name: 'customize' },
    ];
    for (const one of more) await generate(flowContext(root), { folder: root, ...one });
    expect(await compile([root])).toBe('');
    expect((await runTests(root)).exitCode).toBe(0);
  });

  it('overwrites nothing, and writes nothing where one of its files is there', async () => {
    const root = await createShopProject();
    const input = { folder: root, kind: 'field', name: 'shortLabel', collection: 'orders' } as const;
    await generate(flowContext(root), input);
    const before = await readFile(path.join(root, 'src/index.ts'), 'utf8');
    await expect(generate(flowContext(root), input)).rejects.toMatchObject({ code: 'GENERATED_FILE_EXISTS' });
    expect(await readFile(path.join(root, 'src/index.ts'), 'utf8')).toBe(before);
  });

  it('refuses a name that the collection has already, because the code would not load', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const entry = path.join(root, 'src/index.ts');
    const before = await readFile(entry, 'utf8');
    const refusals: [Pick<GenerateInput, 'kind' | 'name'>, string][] = [
      [{ kind: 'field', name: 'status' }, '"orders" has a field "status" already, so nothing was written.'],
      [{ kind: 'segment', name: 'To ship' }, '"orders" has a segment "To ship" already, so nothing was written.'],
      [{ kind: 'action', name: 'Add up' }, '"orders" has an action "Add up" already, so nothing was written.'],
    ];
    for (const [input, message] of refusals) {
      const refused = generate(flowContext(root), { folder: root, collection: 'orders', ...input });
      await expect(refused).rejects.toMatchObject({ code: 'USAGE_INVALID', message });
    }
    expect(await readFile(entry, 'utf8')).toBe(before);
  });

  it('refuses unknown collections and hooks, and names that are not one in code', { tags: 'long' }, async () => {
    const root = await createShopProject();
    const refusals: [Partial<GenerateInput>, string][] = [
      [{ collection: 'oders' }, 'There is no collection "oders". Did you mean "orders"?'],
      [{ kind: 'hook', name: 'sometimes', collection: 'orders' }, '"sometimes" is not a place for a hook.'],
      [{ name: '7up', collection: 'orders' }, '"7up" makes no name in code.'],
      [{ name: '`${rm}`', collection: 'orders' }, 'makes no name in code.'],
    ];
    for (const [change, message] of refusals) {
      const refused = generate(flowContext(root), { folder: root, kind: 'field', name: 'label', ...change });
      await expect(refused).rejects.toMatchObject({ code: 'USAGE_INVALID', message: expect.stringContaining(message) });
    }
  });
});
