import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { push } from '#flows/push/push';
import { systemRandom } from '#node/system/system-random';
import { DevProcess } from './dev-process.ts';
import { flowContext } from './flow-context.ts';
import { codeOfRevision } from './revision-code.ts';
import { sessionTokenFor } from './session-token.ts';
import { startPlatformIn } from './start-platform.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');
/** What `bin/` gives the command: later pushes load what the first one compiled. */
const compileCache = path.resolve(import.meta.dirname, '../../.compile-cache');
const run = promisify(execFile);
const envSecret = systemRandom.hex(32);

/** An environment with hosts of its own processes. */
export interface DeployedEnvironment {
  /** The agents of the hosts, and a token for them; known once something is deployed. */
  readonly agents: readonly string[];
  readonly token: string;
  /** Of the hosts, in their order. */
  readonly processIds: readonly number[];
  /** The file of the code. */
  readonly entry: string;
  /** Push other code; resolves when every host serves it. */
  push(revision: string): Promise<void>;
  /** Push the code that is live. */
  pushAgain(): Promise<void>;
  stop(): Promise<void>;
}

/** Code of about a megabyte. */
const linesOfCode = 20_000;

/** Scaffold the sample shop below `folder`, start a platform in this process and hosts beside it, and deploy once. */
export async function startDeployedEnvironment(
  folder: string,
  /** Threads of each host. */
  workersOfHosts: readonly number[],
): Promise<DeployedEnvironment> {
  enableCompileCache(compileCache);
  await run(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop', '--no-install'], { cwd: folder });
  const root = path.join(folder, 'shop');
  const platform = await startPlatformIn(folder);
  const { userToken } = await platform.provisionDevelopment({
    project: 'shop',
    envSecret,
    user: { name: 'Ada Lovelace', email: 'ada@example.test' },
  });
  const env = { SERVICE_SERVER_URL: platform.url, SERVICE_ENV_SECRET: envSecret };
  const hosts = workersOfHosts.map((workers, host) => {
    const parameters = [
      '--listen',
      '127.0.0.1:0',
      '--mcp-port',
      '0',
      '--workers',
      String(workers),
      '--name',
      `host-${host}`,
    ];
    return new DevProcess(bin, ['serve', ...parameters, '--state', path.join(folder, `host-${host}`)], {
      cwd: root,
      env,
    });
  });
  await Promise.all(hosts.map((host) => host.next('waiting')));
  const context = {
    ...flowContext(root),
    variables: { SERVICE_SERVER_URL: platform.url, SERVICE_AUTH_TOKEN: userToken },
  };
  const entry = path.join(root, 'src/index.ts');
  const pushRevision = async (revision: string) => {
    await writeFile(entry, codeOfRevision(revision, linesOfCode));
    await push(context, { folder: root, message: revision, isDeployed: true });
  };
  await pushRevision('r0');
  const agents = await Promise.all(hosts.map(async (host) => String((await host.next('serving'))['url'])));
  return {
    agents,
    token: await sessionTokenFor({ platformUrl: platform.url, envSecret }),
    processIds: hosts.map(({ child }) => child.pid ?? 0),
    entry,
    push: pushRevision,
    async pushAgain() {
      const { isUnchanged } = await push(context, { folder: root, message: 'again', isDeployed: true });
      if (!isUnchanged) throw new Error('The code that is live was pushed as another one.');
    },
    async stop() {
      await Promise.all(hosts.map((host) => host.interrupt()));
      await platform.stop();
    },
  };
}
