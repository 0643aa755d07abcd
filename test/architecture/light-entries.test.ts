import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const commandLineOnly = ['@oclif/', 'ora', '@inquirer/', 'chokidar', 'esbuild', 'cross-spawn'];
const loadedWhenUsed = [
  ...['@modelcontextprotocol/', 'better-sqlite3', 'bson', 'mongodb', 'openai', '@anthropic-ai/', '@aws-sdk/', 'fflate'],
];
const serverSide = ['fastify', 'kysely'];

/** Tells on stderr, when the process ends, every module that was loaded, by `import`, `require` or otherwise. */
const collector = `
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  const loaded = new Set();
  registerHooks({ load: (url, context, next) => { loaded.add(url); return next(url, context); } });
  process.on('exit', () => writeSync(2, '\\n' + JSON.stringify([...loaded])));
`;

/** The modules that a program loads, as file URLs; Node's own are left out. */
async function modulesOf(...program: string[]): Promise<string[]> {
  const preload = `data:text/javascript,${encodeURIComponent(collector)}`;
  const { stderr } = await execa(process.execPath, ['--import', preload, ...program], { cwd: repository });
  const urls: string[] = JSON.parse(stderr.slice(stderr.lastIndexOf('\n') + 1));
  return urls.filter((url) => url.startsWith('file:'));
}

const modulesOfImport = (specifier: string) =>
  modulesOf('--input-type=module', '--eval', `await import(${JSON.stringify(specifier)})`);

/** The names of the packages that modules belong to, the product's own left out, and of those that the build put into modules. */
function packagesIn(urls: readonly string[]): string[] {
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/;
  const names = urls.flatMap((url) => installed.exec(url)?.[1] ?? packagesInside(fileURLToPath(url)));
  return [...new Set(names)].sort();
}

/** The build begins what it takes from a package with the path of its file. */
function packagesInside(file: string): string[] {
  const paths = readFileSync(file, 'utf8').matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/\s]+)\//gm);
  return [...paths].flatMap(([, name]) => name ?? []);
}

const within = (names: readonly string[], forbidden: readonly string[]) =>
  names.filter((name) => forbidden.some((each) => (each.endsWith('/') ? name.startsWith(each) : name === each)));

describe('an entry of the package', () => {
  it('loads files that the check records, with those that a package requires itself', async () => {
    const packages = packagesIn(await modulesOfImport('fastify'));
    expect(packages).toEqual(expect.arrayContaining(['fastify', '@fastify/error']));
  });

  it('loads packages that the build put into its files, which the check finds there', async () => {
    expect(packagesIn(await modulesOfImport('@vendor/cloud/agent'))).toContain('zod');
  });

  it.each([
    ['@vendor/cloud', [...commandLineOnly, ...loadedWhenUsed, ...serverSide]],
    ['@vendor/cloud/agent', [...commandLineOnly, ...loadedWhenUsed]],
    ['@vendor/cloud/agent-testing', [...commandLineOnly, ...loadedWhenUsed]],
    ['@vendor/cloud/ai-proxy', [...commandLineOnly, ...loadedWhenUsed, ...serverSide]],
    ['@vendor/cloud/plugin-export', [...commandLineOnly, ...loadedWhenUsed, ...serverSide]],
    ['@vendor/cloud/plugin-file-storage', [...commandLineOnly, ...loadedWhenUsed, ...serverSide]],
    ['@vendor/cloud/plugin-flattener', [...commandLineOnly, ...loadedWhenUsed, ...serverSide]],
  ])('leaves the heavy packages out: %s', async (specifier, forbidden) => {
    const modules = await modulesOfImport(specifier);
    expect(modules.some((url) => url.includes('/dist/exports/'))).toBe(true);
    expect(within(packagesIn(modules), forbidden)).toEqual([]);
  });

  it('is checked for every subpath', () => {
    const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');
    expect(subpaths).toEqual([
      '.',
      './agent',
      './agent-testing',
      './ai-proxy',
      './plugin-export',
      './plugin-file-storage',
      './plugin-flattener',
    ]);
  });

  it('loads no package and at most 40 kB where it is @vendor/cloud', async () => {
    const modules = await modulesOfImport('@vendor/cloud');
    const sizes = modules.map((url) => statSync(fileURLToPath(url)).size);
    expect(packagesIn(modules)).toEqual([]);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(40_000);
  });

  it('loads no WebSockets of Node.js where it is @vendor/cloud/agent', async () => {
    const program = `
      const { createAgent } = await import('@vendor/cloud/agent');
      console.log(typeof createAgent, process.moduleLoadList.includes('NativeModule internal/deps/undici/undici'))`;
    const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', program], { cwd: repository });
    expect(stdout).toBe('function false');
  });

  it.each([
    [
      'an agent',
      `const { createAgent } = await import('@vendor/cloud/agent');
      const options = { authSecret: 'a'.repeat(64), envSecret: 'b'.repeat(64), serverUrl: 'http://127.0.0.1:9' };
      const agent = createAgent({ ...options, isProduction: false, skipSchemaUpdate: true, activityOutbox: false, schemaPath: process.argv[1] });
      await agent.mountOnStandaloneServer(0).start();
      await agent.stop();`,
    ],
    [
      'a platform',
      `const { createServer } = await import('./src/platform/server/create-server.ts');
      await createServer({ addresses: { listenHost: '127.0.0.1' } });`,
    ],
  ])('loads no validator and no serialiser of JSON schemas with the server of %s', async (_whose, program) => {
    const schemaPath = path.join(await temporaryFolder(), 'schema.json');
    const options = ['--conditions=vendor-source', '--input-type=module', '--eval', program, schemaPath];
    const packages = packagesIn(await modulesOf(...options));
    expect(packages).toContain('fastify');
    expect(within(packages, ['ajv', '@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'])).toEqual([]);
  });

  it('loads no HTTP client of Node.js where a worker notes what code may harm', async () => {
    const worker = `
      import('./src/flows/agent-worker/harmed-intrinsics.ts').then(({ noteIntrinsics }) =>
        console.log(noteIntrinsics()(), process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')))`;
    const program = `new (require('node:worker_threads').Worker)(${JSON.stringify(worker)}, { eval: true })`;
    const options = ['--conditions=vendor-source', '--eval', program];
    const { stdout } = await execa(process.execPath, options, { cwd: repository });
    expect(stdout).toBe('false false');
  });

  it('loads no flow, agent, platform or framework for --version', async () => {
    const program = "process.argv.push('vendor-cloud', '--version'); await (await import('./src/cli/main.ts')).main();";
    const modules = await modulesOf('--conditions=vendor-source', '--input-type=module', '--eval', program);
    const layers = modules.flatMap((url) => /\/src\/([\w-]+)\//.exec(url)?.[1] ?? []);
    expect(layers).toContain('cli');
    expect(layers.filter((layer) => ['flows', 'runtime', 'sandbox', 'project'].includes(layer))).toEqual([]);
    expect(within(packagesIn(modules), ['@oclif/', '@inquirer/', 'ora', 'zod'])).toEqual([]);
  });
});
