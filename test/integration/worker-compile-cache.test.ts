import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../..');

/** Starts a worker of the built package beside a main thread that keeps what it compiles. */
const program = `
  import { enableCompileCache } from 'node:module';
  import { pathToFileURL } from 'node:url';
  import { agentWorkerData } from '#flows/dev/agent-worker-data';
  import { nobodyIdentity } from '#flows/dev/load-once';
  import { WorkerThread } from '#flows/agent-worker/worker-thread';
  import { systemClock } from '#host/system/system-clock';
  import { systemRandom } from '#host/system/system-random';
  const [folder] = process.argv.slice(1);
  enableCompileCache(folder);
  const context = { random: systemRandom, variables: {}, package: { version: '0.0.0' } };
  const platform = { url: 'http://127.0.0.1:9', envSecret: '0'.repeat(64), identity: nobodyIdentity };
  const port = { port: 0, isExact: false };
  const data = agentWorkerData(context, { root: process.cwd(), dataSources: {} }, platform, { agent: port, mcp: port });
  const none = () => undefined;
  const thread = new WorkerThread({
    url: pathToFileURL('dist/cli/agent-worker.js'), data, clock: systemClock,
    onLost: none, onCatalogueChanged: none, onRequestFailed: none, onOutput: none,
  });
  await thread.call('isHarmed', null);
  await thread.stop(0);
`;

it('a worker keeps what it compiles where the main thread does, although it is terminated', async () => {
  const folder = await temporaryFolder();
  // The tests keep what they compile elsewhere.
  const { NODE_COMPILE_CACHE: _elsewhere, ...env } = process.env;
  const parameters = ['--conditions=vendor-source', '-e', program, folder];
  await run(process.execPath, parameters, { cwd: repository, env });
  const kept = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  // The main thread of this program loads some twenty files.
  expect(kept.length).toBeGreaterThan(60);
});
