import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { facades, versionOfFacade } from '../../scripts/pack/facades.ts';
import { installedPackage } from '../helpers/installed-package.ts';
import { runCli } from '../helpers/run-cli.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const tsc = path.join(repository, 'node_modules/typescript/bin/tsc');

/** A project with the tarballs that npm installed. */
async function underNpm(): Promise<string> {
  const { folder } = installedPackage();
  return mkdtemp(path.join(folder, 'facades-'));
}

/** A project with the tarballs that pnpm installed. No package sees more than it names as dependencies. */
async function underPnpm(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-facades-'));
  const { tarballs } = installedPackage();
  const [cloud = ''] = tarballs;
  const names = ['@vendor/cloud', ...facades.map(({ name }) => name)];
  const dependencies = Object.fromEntries(names.map((name, index) => [name, `file:${tarballs[index]}`]));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, dependencies }));
  // The version that the façades name is in no registry yet.
  const strict = { nodeLinker: 'isolated', hoist: false, shamefullyHoist: false };
  const settings = { overrides: { '@vendor/cloud': `file:${cloud}` }, strictDepBuilds: false, ...strict };
  await writeFile(path.join(folder, 'pnpm-workspace.yaml'), JSON.stringify(settings));
  const store = path.join(repository, '.tmp/pnpm-store');
  const pnpm = fileURLToPath(new URL('bin/pnpm.mjs', import.meta.resolve('pnpm')));
  await execa(process.execPath, [pnpm, 'install', '--prefer-offline', '--ignore-scripts', '--store-dir', store], {
    cwd: folder,
  });
  return folder;
}

/** The whole examples of the documentation that need no other package, with the names of the façades. */
async function documentedExamples(): Promise<ReadonlyMap<string, string>> {
  const docs = path.join(repository, 'docs');
  const examples = new Map<string, string>();
  for (const file of (await readdir(docs)).filter((name) => name.endsWith('.md'))) {
    const page = await readFile(path.join(docs, file), 'utf8');
    for (const [index, [, block = '']] of [...page.matchAll(/```ts\n([\s\S]*?)```/g)].entries()) {
      const imported = [...block.matchAll(/ from '([^']+)'/g)].map(([, name = '']) => name);
      const parts = facades.filter(({ part }) => imported.includes(`@vendor/cloud/${part}`));
      if (parts.length === 0 || imported.some((name) => !/^(@vendor\/|node:)/.test(name))) continue;
      const text = parts.reduce(
        (code, { part, name }) => code.replaceAll(`'@vendor/cloud/${part}'`, `'${name}'`),
        block,
      );
      examples.set(`${path.basename(file, '.md')}-${index}.ts`, text);
    }
  }
  return examples;
}

/** A whole program: an agent on a database, and the client that asks it. */
const program = `
import { type ActionContext, type Agent, createAgent, createMemoryDataSource, field, type Plugin } from '@vendor/agent';
import { createAgentTestClient, createForestServerSandbox } from '@vendor/agent-testing';
import { flattenJsonColumn } from '@vendor/plugin-flattener';
import { createAiProvider } from '@vendor/ai-proxy';
export const named: Plugin<{ name: string }> = (agent) => void agent;
export const customize = (agent: Agent): Agent => agent;
export const idOf = (context: ActionContext): Promise<unknown> => context.getRecordIds();
console.log([createAgent, createMemoryDataSource, field, flattenJsonColumn, createAiProvider].map((given) => typeof given).join());
const sandbox = await createForestServerSandbox(0);
await sandbox.close();
console.log(typeof createAgentTestClient);
`;

describe.each([
  ['npm', underNpm],
  ['pnpm', underPnpm],
])('the packages, installed by %s', (_name, install) => {
  let folder: string;
  beforeAll(async () => {
    folder = await install();
    const compilerOptions = { module: 'nodenext', target: 'esnext', strict: true, types: ['node'], noEmit: true };
    const types = { typeRoots: [path.join(repository, 'node_modules/@types')] };
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...compilerOptions, ...types }, include: ['examples'] }),
    );
    await writeFile(
      path.join(folder, 'package.json'),
      JSON.stringify({ name: 'empty', private: true, type: 'module' }),
    );
    await mkdir(path.join(folder, 'examples'));
    for (const [file, text] of await documentedExamples()) await writeFile(path.join(folder, 'examples', file), text);
    await writeFile(path.join(folder, 'examples/program.ts'), program);
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('compile the examples of the documentation', async () => {
    expect((await readdir(path.join(folder, 'examples'))).length).toBeGreaterThan(3);
    const { stdout } = await execa(process.execPath, [tsc, '--project', '.', '--pretty', 'false'], {
      cwd: folder,
      reject: false,
    });
    expect(stdout).toBe('');
  });

  it('run', { tags: 'long' }, async () => {
    const { stdout } = await execa(process.execPath, ['examples/program.ts'], { cwd: folder });
    expect(stdout).toBe('function,function,function,function,function\nfunction');
  });

  it('create a project and check it', { tags: 'long' }, async () => {
    (await openSqlite(path.join(folder, 'app.sqlite'))).close();
    const bin = createRequire(path.join(folder, 'package.json'))
      .resolve('@vendor/cloud/package.json')
      .replace('package.json', 'bin/vendor-cloud.js');
    const parameters = ['bootstrap', 'admin', '--uri', 'sqlite:./app.sqlite', '--no-git'];
    const made = await runCli(parameters, { cwd: folder, bin });
    expect(made.exitCode, made.stderr).toBe(0);
    const checked = await runCli(['check', '--json'], { cwd: path.join(folder, 'admin'), bin });
    expect(JSON.parse(checked.stdout)).toMatchObject({ isPassed: true });
  });
});

it('the agent has a version that users of the older agent may state', () => {
  const agents = facades.filter(({ name }) => name === '@vendor/agent');
  const versions = ['0.1.0', '0.2.0', '0.2.13', '1.0.0'];
  expect(agents.flatMap((agent) => versions.map((version) => versionOfFacade(agent, version)))).toEqual([
    '1.83.0',
    '1.84.0',
    '1.84.13',
    '2.0.0',
  ]);
});
