import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SetupResult } from '#contracts/setup';
import { push } from '#flows/push/push';
import { type Balancer, startBalancer } from './balancer.ts';
import { DevProcess } from './dev-process.ts';
import { endWithTest } from './end-with-test.ts';
import { flowContext } from './flow-context.ts';
import { freePort } from './free-port.ts';
import { type CliRun, runCli } from './run-cli.ts';
import type { CertificateAuthority } from './server-certificates.ts';
import { firstAdministrator, postSetup } from './team-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');
const application = path.resolve(import.meta.dirname, '../fixtures/express-application.js');

/** A team with processes of its own: a platform, two hosts of `production` behind a balancer, and a project. */
export interface Team extends SetupResult {
  /** Of the platform. */
  readonly url: string;
  readonly platform: DevProcess;
  /** Folder of the project, which is the sample shop. */
  readonly root: string;
  readonly hosts: readonly [DevProcess, DevProcess];
  readonly balancer: Balancer;
  secretOf(environment: string): string;
  /** The rendering of the team Operations. */
  renderingOf(environment: string): number;
  /** Run a command in the project, with the token of the administrator. */
  run(...parameters: string[]): Promise<CliRun>;
  /** Push other code from this process, which is quicker; resolves when every host serves it. */
  push(code: string, message: string): Promise<void>;
  /** Call the API of the platform as the administrator. */
  call(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Start the platform again on its store and its port. */
  startPlatform(): DevProcess;
  /** Start a host on what it keeps. */
  startHost(index: 0 | 1, listen?: string): DevProcess;
  /** Start an application of `environment` with the agent of the project in it; resolves to its origin. */
  startApplication(environment: string): Promise<string>;
}

/**
 * @param store address of an empty database.
 * @param authority Of the certificates of the proxies that end TLS before the platform and the hosts. This process has to trust it. Without one
 * nothing is encrypted.
 */
export async function startTeam(store: string, authority?: CertificateAuthority): Promise<Team> {
  const folder = await temporaryFolder();
  const certificate = await authority?.issue(['IP:127.0.0.1']);
  const trust = authority ? { NODE_EXTRA_CA_CERTS: authority.certificatePath } : {};
  const front = certificate && (await startBalancer(certificate));
  const root = path.join(folder, 'shop');
  const platformVariables = { SERVICE_PLATFORM_STORE: store, SERVICE_PLATFORM_KEY: randomBytes(32).toString('hex') };
  const behind = front ? ['--public-url', front.origin, '--trusted-proxy', '127.0.0.1'] : [];
  const startPlatform = (listen: string) =>
    start(bin, ['platform', 'start', '--listen', listen, ...behind], folder, platformVariables);

  const own = front ? `127.0.0.1:${await freePort()}` : '127.0.0.1:0';
  const platform = startPlatform(own);
  front?.use([`http://${own}`]);
  const listening = String((await platform.next('listening'))['url']);
  const url = front?.origin ?? listening;
  const link = new URL(String((await platform.next('setup'))['url']));
  const setUp = await postSetup(url, { secret: link.hash.slice(1), ...firstAdministrator });
  const made = (await setUp.json()) as SetupResult;
  const { exitCode, stderr } = await runCli(['bootstrap', 'shop', '--template', 'shop'], { cwd: folder });
  if (exitCode !== 0) throw new Error(`The project cannot be made: ${stderr}`);

  const secretOf = (environment: string) =>
    made.environments.find(({ name }) => name === environment)?.secret ?? `no secret of ${environment}`;
  const startHost = (index: 0 | 1, listen = '127.0.0.1:0') => {
    const state = path.join(folder, `host-${index}`);
    const parameters = ['--listen', listen, '--mcp-port', '0', '--workers', '1', '--name', `berlin-${index}`];
    const env = { SERVICE_SERVER_URL: url, SERVICE_ENV_SECRET: secretOf('production'), ...trust };
    return start(bin, ['serve', ...parameters, '--state', state], root, env);
  };
  const variables = {
    SERVICE_SERVER_URL: url,
    SERVICE_AUTH_TOKEN: made.userToken,
    SERVICE_ENV: 'production',
    ...trust,
  };
  const hosts = [startHost(0), startHost(1)] as const;
  await Promise.all(hosts.map((host) => host.next('waiting')));

  return {
    ...made,
    url,
    platform,
    root,
    hosts,
    balancer: await startBalancer(certificate),
    secretOf,
    // The setup makes one for each environment, in their order.
    renderingOf: (environment) => made.environments.findIndex(({ name }) => name === environment) + 1,
    startHost,
    startPlatform: () => startPlatform(front ? own : new URL(url).host),
    run: (...parameters) => runCli([...parameters, '--json'], { cwd: root, env: variables }),
    async push(code, message) {
      await writeFile(path.join(root, 'src/index.ts'), code);
      await push(
        { ...flowContext(root), variables },
        { folder: root, message, environment: 'production', isDeployed: true },
      );
    },
    async call(method, route, body) {
      const headers = { authorization: `Bearer ${made.userToken}`, 'content-type': 'application/json' };
      const answer = await fetch(url + route, { method, headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`${method} ${route} was answered with ${await answer.text()}`);
      return answer.json();
    },
    async startApplication(environment) {
      const place = path.join(folder, `application-of-${environment}`);
      await mkdir(place);
      const started = start(application, [], place, {
        ...trust,
        SERVICE_SERVER_URL: url,
        SERVICE_ENV_SECRET: secretOf(environment),
        SERVICE_AUTH_SECRET: randomBytes(32).toString('hex'),
        DATABASE_URI: `sqlite:${path.join(root, 'shop.sqlite')}`,
        CUSTOMIZATION: pathToFileURL(path.join(root, 'src/index.ts')).href,
      });
      return String((await started.next('listening'))['url']);
    },
  };
}

/** A process that is killed when the test ends. */
function start(
  program: string,
  parameters: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): DevProcess {
  const started = new DevProcess(program, parameters, { cwd, env });
  endWithTest(started.child);
  return started;
}
