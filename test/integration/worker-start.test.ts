import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../..');
const builtPackage = path.join(repository, 'dist');

interface Steps {
  readonly first?: string;
  readonly dataSources?: Readonly<Record<string, { uri: string }>>;
  /** Further options of the worker. */
  readonly options?: string;
  /** Carried out with the worker as `thread`. */
  readonly last?: string;
}

/** Starts a worker of the built package in a process of its own, which is given the path of a file. */
const program = ({ first = '', dataSources = {}, options = '', last = '' }: Steps) => `
  import { appendFileSync } from 'node:fs';
  import { enableCompileCache } from 'node:module';
  import { pathToFileURL } from 'node:url';
  import { agentWorkerData } from '#flows/project-agent/agent-worker-data';
  import { nobodyIdentity } from '#flows/project-agent/load-once';
  import { WorkerThread } from '#flows/agent-worker/worker-thread';
  import { systemClock } from '#node/system/system-clock';
  import { systemRandom } from '#node/system/system-random';
  const [file] = process.argv.slice(1);
  ${first}
  const context = { random: systemRandom, variables: {}, package: { version: '0.0.0' } };
  const platform = { url: 'http://127.0.0.1:9', envSecret: '0'.repeat(64), identity: nobodyIdentity };
  const port = { port: 0, isExact: false };
  const project = { root: process.cwd(), dataSources: ${JSON.stringify(dataSources)} };
  const data = agentWorkerData(context, project, platform, { agent: port, mcp: port });
  const none = () => undefined;
  const thread = new WorkerThread({
    url: pathToFileURL('dist/cli/agent-worker.js'), data, clock: systemClock,
    onLost: none, onCatalogueChanged: none, onRequestFailed: none, onOutput: none, ${options}
  });
  await thread.call('isHarmed', null);
  ${last}
  await thread.stop(0);
`;

/** Notes each file that any thread loads, one path a line. */
const loadNotes = (notes: string) => `
  import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  import { fileURLToPath } from 'node:url';
  registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) appendFileSync(${JSON.stringify(notes)}, fileURLToPath(url) + '\\n');
      return next(url, context);
    },
  });
`;

/** Notes each file of the built package that Node.js is asked to look for on behalf of another, one specifier a line. */
const searchNotes = (notes: string) => `
  import { appendFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      const isBuilt = context.parentURL?.startsWith(${JSON.stringify(pathToFileURL(builtPackage).href)});
      if (isBuilt && specifier.startsWith('.')) appendFileSync(${JSON.stringify(notes)}, specifier + '\\n');
      return next(specifier, context);
    },
  });
`;

const loadCode = `
  appendFileSync(file, 'The worker has answered.\\n');
  await thread.call('load', { code: 'module.exports = () => undefined;' }).catch(none);
  await thread.call('listen', { absence: null });
`;

// The tests keep what they compile elsewhere.
const { NODE_COMPILE_CACHE: _elsewhere, ...environment } = process.env;

function startWorker(code: string, file: string, further: Readonly<Record<string, string>> = {}) {
  const parameters = ['--conditions=vendor-source', '-e', code, file];
  return run(process.execPath, parameters, { cwd: repository, env: { ...environment, ...further } });
}

async function searchedFiles(start: (options: Readonly<Record<string, string>>) => Promise<unknown>) {
  const folder = await temporaryFolder();
  const [hook, notes] = [path.join(folder, 'hook.mjs'), path.join(folder, 'notes')];
  await writeFile(notes, '');
  await writeFile(hook, searchNotes(notes));
  await start({ NODE_OPTIONS: `--import=${hook}` });
  return (await readFile(notes, 'utf8')).split('\n').slice(0, -1);
}

/** Packages of others have files of their own where they are loaded when they are needed. The build names what it takes in. */
function hasOwnCode(file: string): boolean {
  return /^\/\/ src\//m.test(readFileSync(file, 'utf8'));
}

describe('a worker', () => {
  it('finds its own files without a look at the disk', { tags: 'long' }, async () => {
    const dataSources = { main: { uri: 'sqlite:./shop.sqlite' } };
    const searched = await searchedFiles((options) => startWorker(program({ dataSources }), '', options));
    // The files that begin it name each other before anything can be done about that.
    expect(searched.length).toBeGreaterThan(0);
    expect(searched.length).toBeLessThan(10);
  });

  it('answers only requests for a moment after a load', { tags: 'long' }, async () => {
    const last = `
      ${loadCode}
      const start = performance.now();
      await thread.call('load', { code: 'module.exports = () => {};' });
      await thread.call('typings', null);
      console.log(performance.now() - start);`;
    const notes = path.join(await temporaryFolder(), 'notes');
    const { stdout } = await startWorker(program({ last }), notes);
    expect(Number(stdout)).toBeGreaterThanOrEqual(19);
  });

  it.each([16, 32])(
    'begins with the whole space for new objects that it is given: halves of %i MB',
    { tags: 'long' },
    async (half) => {
      // V8 takes the second half when it first collects.
      const code = `
      const v8 = require('node:v8');
      v8.setFlagsFromString('--expose-gc');
      require('node:vm').runInNewContext('gc')({ type: 'minor', execution: 'sync' });
      console.log(v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);`;
      const last = `await thread.call('load', { code: ${JSON.stringify(code)} }).catch(none);`;
      const options = `youngHalfMb: ${half}, onOutput: (text) => process.stdout.write(text)`;
      const { stdout } = await startWorker(program({ options, last }), '');
      expect(Number(stdout) / 1024 / 1024).toBe(2 * half);
    },
  );

  it('keeps what it compiles where the main thread does, although it is terminated', async () => {
    const folder = await temporaryFolder();
    await startWorker(program({ first: 'enableCompileCache(file);' }), folder);
    const kept = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    // The main thread of this program loads some twenty files.
    expect(kept.length).toBeGreaterThan(60);
  });

  it.each([
    'sqlite:./shop.sqlite',
    'postgres://127.0.0.1:9/shop',
    'mariadb://127.0.0.1:9/shop',
    'mongodb://127.0.0.1:9/shop',
  ])(
    'loads its own code for %s before its silence can be blamed on the code of a customer',
    { tags: 'long' },
    async (uri) => {
      const folder = await temporaryFolder();
      const [hook, notes] = [path.join(folder, 'hook.mjs'), path.join(folder, 'notes')];
      await writeFile(hook, loadNotes(notes));
      await startWorker(program({ dataSources: { main: { uri } }, last: loadCode }), notes, {
        NODE_OPTIONS: `--import=${hook}`,
      });
      const [before = '', after] = (await readFile(notes, 'utf8')).split('The worker has answered.\n');
      const own = (files = '') => files.split('\n').filter((file) => file.startsWith(builtPackage) && hasOwnCode(file));
      expect(own(before)).not.toEqual([]);
      expect(own(after)).toEqual([]);
    },
  );
});

it('the command finds its own files without a look at the disk', async () => {
  const command = path.join(repository, 'bin/vendor-cloud.js');
  const searched = await searchedFiles((options) =>
    run(process.execPath, [command, '--help'], { env: { ...environment, ...options } }),
  );
  expect(searched.length).toBeGreaterThan(0);
  expect(searched.length).toBeLessThan(10);
});
