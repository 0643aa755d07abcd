import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import type { ToolCall, Tools } from '#kernel/ports/programs';
import type { Reporter } from '#kernel/ports/reporter';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { flowContext } from '../helpers/flow-context.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

/** A context that keeps the warnings, and the titles of the steps. */
function listening(folder: string) {
  const warnings: string[] = [];
  const steps: string[] = [];
  const context = flowContext(folder);
  const reporter: Reporter = {
    ...context.reporter,
    step: (title, work) => {
      steps.push(title);
      return work(() => undefined);
    },
    warn: (message) => void warnings.push(message),
  };
  return { warnings, steps, context: { ...context, reporter } };
}

/** Tools that write down how they are called, and end with a code. */
function recordingTools(exitCodeOf: (call: ToolCall) => number | null, said = { stdout: '', stderr: '' }) {
  const calls: string[] = [];
  const tools: Tools = {
    run: async (call) => {
      calls.push([call.program, ...call.parameters].join(' '));
      return { exitCode: exitCodeOf(call), ...said };
    },
  };
  return { calls, tools };
}

const small = { directory: 'admin', template: 'blank', uri: 'sqlite:./pets.sqlite' } as const;

async function folderWithPets(): Promise<string> {
  const folder = await temporaryFolder();
  const database = await openSqlite(path.join(folder, 'pets.sqlite'));
  database.execute('create table pets (id integer primary key)');
  database.close();
  return folder;
}

describe('bootstrap beyond the files', () => {
  it('installs with the package manager of the folder and begins a git repository', async () => {
    const folder = await folderWithPets();
    await writeFiles(folder, { 'pnpm-lock.yaml': '' });
    const { calls, tools } = recordingTools(({ parameters }) => (parameters[0] === 'rev-parse' ? 128 : 0));
    const context = { ...flowContext(folder), tools };
    const result = await bootstrap(context, { ...small, isInstalled: true, isRepository: true });
    expect(result).toMatchObject({ packageManager: 'pnpm', isInstalled: true, isRepository: true });
    expect(calls).toEqual(['git rev-parse --is-inside-work-tree', 'git init --quiet', 'pnpm install']);
    // The link to this package would get into the lock file.
    expect(await readdir(result.path)).not.toContain('node_modules');
  });

  it.each(['blank', 'shop'] as const)(
    'gives a project of the template %s a version, without which Yarn 1 leaves it out of a workspace',
    async (template) => {
      const { uri, ...named } = small;
      const context = flowContext(await folderWithPets());
      const { path: root } = await bootstrap(context, { ...named, template, ...(template === 'blank' ? { uri } : {}) });
      const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
      expect(version).toBe('0.0.0');
    },
  );

  it('begins no repository inside another one', async () => {
    const { calls, tools } = recordingTools(() => 0);
    const context = { ...flowContext(await folderWithPets()), tools };
    expect(await bootstrap(context, { ...small, isRepository: true })).toMatchObject({ isRepository: false });
    expect(calls).toEqual(['git rev-parse --is-inside-work-tree']);
  });

  it('keeps a project that works where nothing can be installed, and says how to install later', async () => {
    const folder = await folderWithPets();
    const { context, warnings } = listening(folder);
    const { tools } = recordingTools(() => 1);
    const result = await bootstrap({ ...context, tools }, { ...small, isInstalled: true });
    expect(result).toMatchObject({ packageManager: 'npm', isInstalled: false });
    expect(warnings).toEqual(['The packages are not installed: "npm install" ended with 1']);
    expect(await readdir(path.join(result.path, 'node_modules/@vendor'))).toEqual(['cloud']);
  });

  it.each([
    [
      'npm',
      'stderr',
      'npm error code E404\nnpm error 404 Not Found - GET https://x/y',
      'npm error 404 Not Found - GET https://x/y',
    ],
    [
      'yarn 1',
      'stderr',
      'warning a@1.0.0: The engine "bun" is invalid.\nerror /x/y: Command failed.',
      'error /x/y: Command failed.',
    ],
    [
      'yarn 4',
      'stdout',
      '➤ YN0000: · Yarn 4.9.0\n➤ YN0035: │ y@npm:1: Package not found',
      '➤ YN0035: │ y@npm:1: Package not found',
    ],
    [
      'yarn 4, wrongly called',
      'stdout',
      '\u001b[31mUsage Error\u001b[39m: Not part of it.',
      'Usage Error: Not part of it.',
    ],
    [
      'pnpm',
      'stdout',
      'Progress: resolved 1\n[ERR_PNPM_IGNORED_BUILDS] esbuild@1',
      '[ERR_PNPM_IGNORED_BUILDS] esbuild@1',
    ],
  ])('says what kept %s from installing, wherever that stands on its %s', async (_manager, stream, said, reason) => {
    const { context, warnings } = listening(await folderWithPets());
    const { tools } = recordingTools(() => 1, { stdout: '', stderr: '', [stream]: said });
    await bootstrap({ ...context, tools }, { ...small, isInstalled: true });
    expect(warnings).toEqual([`The packages are not installed: "npm install" ended with 1, ${reason}`]);
  });

  it('says that an installation was interrupted, and does not show it as done', async () => {
    const { context, warnings } = listening(await folderWithPets());
    const interrupts = new Set<() => Promise<void>>();
    const onInterrupt = (cleanUp: () => Promise<void>) => {
      interrupts.add(cleanUp);
      return () => void interrupts.delete(cleanUp);
    };
    const steps: string[] = [];
    const step: Reporter['step'] = async (title, work) => {
      const result = await work(() => undefined);
      steps.push(title);
      return result;
    };
    const tools: Tools = {
      run: async () => {
        for (const cleanUp of interrupts) await cleanUp();
        return { exitCode: null, stdout: '', stderr: '' };
      },
    };
    const reporter = { ...context.reporter, step };
    const result = await bootstrap({ ...context, onInterrupt, reporter, tools }, { ...small, isInstalled: true });
    expect(result.isInstalled).toBe(false);
    expect(warnings).toEqual(['The packages are not installed: that was interrupted']);
    expect(steps).not.toContain('Installing packages with npm');
    expect(interrupts.size).toBe(0);
  });

  it('allows the script of esbuild under pnpm, unless a workspace above says what is allowed', async () => {
    const folder = await folderWithPets();
    await writeFiles(folder, { 'pnpm-lock.yaml': '' });
    const { path: root } = await bootstrap(flowContext(folder), small);
    expect(await readFile(path.join(root, 'pnpm-workspace.yaml'), 'utf8')).toBe('allowBuilds:\n  esbuild: true\n');
    await writeFiles(folder, { 'pnpm-workspace.yaml': 'packages: ["*"]\n' });
    const member = await bootstrap(flowContext(folder), { ...small, directory: 'member' });
    expect(await readdir(member.path)).not.toContain('pnpm-workspace.yaml');
  });

  it("warns that the compiler cannot read packages of Yarn Plug'n'Play", async () => {
    const folder = await folderWithPets();
    await writeFiles(folder, { 'yarn.lock': '', '.pnp.cjs': '' });
    const { context, warnings } = listening(folder);
    const { tools } = recordingTools(() => 0);
    expect(await bootstrap({ ...context, tools }, { ...small, isInstalled: true })).toMatchObject({
      packageManager: 'yarn',
      isInstalled: true,
    });
    expect(warnings).toEqual(["TypeScript 7 cannot read the packages of Yarn Plug'n'Play: types are not checked."]);
  });

  it('refuses a connection URI beside the sample shop', async () => {
    const context = flowContext(await temporaryFolder());
    await expect(bootstrap(context, { ...small, template: 'shop' })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: expect.stringContaining('"shop"'),
    });
  });

  it('tells assistants about the project, its commands and the loop', async () => {
    const { path: root } = await bootstrap(flowContext(await folderWithPets()), small);
    const text = await readFile(path.join(root, 'AGENTS.md'), 'utf8');
    expect(text).toMatch(/^# admin\n[\s\S]*vendor-cloud dev --json[\s\S]*update-typings/);
  });
});

/** The packages that a package needs beside itself; npm alone brings them unasked. */
async function neededBeside(name: string): Promise<string[]> {
  const file = path.resolve(import.meta.dirname, '../../node_modules', name, 'package.json');
  const { peerDependencies = {}, peerDependenciesMeta: meta = {} } = JSON.parse(await readFile(file, 'utf8'));
  return Object.keys(peerDependencies).filter((peer) => meta[peer]?.optional !== true);
}

it.each(['blank', 'shop'] as const)(
  'the template %s names every package that its packages need beside them',
  async (template) => {
    const folder = await folderWithPets();
    const uri = template === 'blank' ? small.uri : undefined;
    const { path: root } = await bootstrap(flowContext(folder), { directory: 'admin', template, uri });
    const { devDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
    const named = Object.keys(devDependencies);
    const others = named.filter((name) => name !== '@vendor/cloud');
    expect(named).toEqual(expect.arrayContaining((await Promise.all(others.map(neededBeside))).flat()));
  },
);

it('bootstrap on a database file that is missing points at no file that is not there', async () => {
  const attempt = bootstrap(flowContext(await temporaryFolder()), small);
  await expect(attempt).rejects.toMatchObject({
    code: 'DATABASE_NOT_FOUND',
    nextSteps: [expect.not.stringContaining('vendor-cloud.json')],
  });
});

it('bootstrap of the sample shop brings settings for all its columns that suggest some', async () => {
  const folder = await temporaryFolder();
  const result = await bootstrap(flowContext(folder), { directory: 'shop', template: 'shop' });
  expect(result.settings).toEqual({});
});

describe('bootstrap on a database of your own', () => {
  it('keeps the connection URI, which may hold a password, out of what goes into git', async () => {
    const folder = await temporaryFolder();
    const database = await openSqlite(path.join(folder, "it's a shop.sqlite"));
    database.execute('create table pets (id integer primary key, name text not null)');
    database.close();
    const uri = `sqlite:./it's a shop.sqlite`;
    const result = await bootstrap(flowContext(folder), { directory: 'My Admin!', template: 'blank', uri });
    expect(result).toMatchObject({ name: 'my-admin', collections: 1 });
    const read = (file: string) => readFile(path.join(result.path, file), 'utf8');
    expect(await read('vendor-cloud.json')).not.toContain('shop');
    expect(await read('.env')).toContain(path.join(folder, 'it%27s a shop.sqlite'));
    expect((await stat(path.join(result.path, '.env'))).mode & 0o777).toBe(0o600);
    expect(await read('.gitignore')).toMatch(/^\.env$/m);
    expect(await read('typings.d.ts')).toContain('pets: {');
  });

  it('sets what the numbers of instants stand for, and asks where a sample does not say it', async () => {
    const folder = await temporaryFolder();
    const database = await openSqlite(path.join(folder, 'pets.sqlite'));
    database.execute(`
      create table pets (id integer primary key, born datetime, seen datetime, fed datetime);
      insert into pets values (1, 1700000000123, 1700000000, 2460263.4259), (2, 1600000000456, 1600000000456, null);
      create table logs (id integer primary key, at datetime); insert into logs values (1, 1700000000), (2, '2024-01-01')`);
    database.close();
    const settingsOf = async (root: string) =>
      JSON.parse(await readFile(path.join(root, 'vendor-cloud.json'), 'utf8')).dataSources.main.instants;
    const clear = { pets: { born: 'milliseconds', fed: 'julianDays' } };
    const silent = listening(folder);
    const { path: root, settings } = await bootstrap(silent.context, small);
    expect(await settingsOf(root)).toEqual(clear);
    expect(settings['main']?.instants).toEqual(clear);
    expect(silent.warnings).toEqual([
      expect.stringMatching(/as a sample says, .*: pets\.seen \(seconds since 1970\)\./),
    ]);

    const asked: string[] = [];
    const asking = listening(folder);
    const { path: other } = await bootstrap(asking.context, {
      ...small,
      directory: 'asked',
      chooseInstants: async (place, guess) => {
        asked.push(`${place} ${guess}`);
        return guess === 'texts' ? guess : 'milliseconds';
      },
    });
    expect(asked.toSorted()).toEqual(['logs.at texts', 'pets.seen seconds']);
    expect(await settingsOf(other)).toEqual({ pets: { ...clear.pets, seen: 'milliseconds' }, logs: { at: 'texts' } });
    expect(asking.warnings).toEqual([]);
  });

  it('sets what the columns of the database suggest', async () => {
    const folder = await temporaryFolder();
    const database = await openSqlite(path.join(folder, 'shop.sqlite'));
    database.execute(`create table orders (id integer primary key, total real, deleted_at datetime,
      created_at datetime not null, updated_at datetime not null)`);
    database.execute(
      'create table lines (id integer primary key, created_at datetime not null default current_timestamp)',
    );
    database.close();
    const { context, warnings, steps } = listening(folder);
    const input = { directory: 'admin', template: 'blank', uri: 'sqlite:./shop.sqlite' } as const;
    const result = await bootstrap(context, input);
    expect(steps).toEqual([
      'Reading the databases and the customizations',
      'Applying the settings that the columns suggest',
    ]);
    const settings = {
      softDelete: { orders: 'deleted_at' },
      timestamps: { orders: { created: 'created_at', updated: 'updated_at' } },
    };
    expect(result.settings).toEqual({ main: settings });
    const config = JSON.parse(await readFile(path.join(result.path, 'vendor-cloud.json'), 'utf8'));
    expect(config).toEqual({ name: 'admin', dataSources: { main: { uri: '${MAIN_DATABASE_URL}', ...settings } } });
    expect(warnings.filter((warning) => warning.includes('softDelete'))).toEqual([]);
  });

  it('warns of a database without tables', async () => {
    const folder = await temporaryFolder();
    (await openSqlite(path.join(folder, 'empty.sqlite'))).close();
    const { context, warnings } = listening(folder);
    const input = { directory: 'admin', template: 'blank', uri: 'sqlite:./empty.sqlite' } as const;
    expect(await bootstrap(context, input)).toMatchObject({
      collections: 0,
      warnings: ['The database has no table yet.'],
    });
    expect(warnings).toEqual(['The database has no table yet.']);
  });

  it('leaves nothing behind when the database cannot be read', async () => {
    const folder = await temporaryFolder();
    const input = { directory: 'admin', template: 'blank', uri: 'sqlite:./absent.sqlite' } as const;
    await expect(bootstrap(flowContext(folder), input)).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
    expect(await readdir(folder)).toEqual([]);
  });
});
