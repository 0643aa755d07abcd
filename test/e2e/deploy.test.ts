import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa, type Options } from 'execa';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { composeProblems } from '../helpers/compose-problems.ts';
import { buildContainerfile, type ContainerImage, withRoot } from '../helpers/containerfile.ts';
import { freePort } from '../helpers/free-port.ts';

const repository = path.resolve(import.meta.dirname, '../..');
const deploy = (name: string) => path.join(repository, 'deploy', name);
/** `nobody`, where this process may become somebody else. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
const asWhom = user ? 'as a user without rights' : 'as the current user, because only root can become another one';

let folder: string;
let image: ContainerImage;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'deploy-'));
  await chmod(folder, 0o755);
  const { stdout: registry } = await execa('npm', ['config', 'get', 'registry']);
  // How this machine reaches the registry.
  const network = /^(?:https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(?:registry|cafile|proxy|https_proxy))$/i;
  environment = {
    ...Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        network.test(name) && value !== undefined ? [[name, value]] : [],
      ),
    ),
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    npm_config_registry: registry.trim(),
    npm_config_cache: path.join(folder, 'npm-cache'),
    npm_config_userconfig: path.join(folder, 'no-npmrc'),
  };
  await mkdir(path.join(folder, 'npm-cache'), { mode: 0o777 });
  await chmod(path.join(folder, 'npm-cache'), 0o777);
  image = await buildContainerfile(deploy('Containerfile'), {
    context: repository,
    folder,
    environment,
    ...(user ? { user } : {}),
  });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function options(own: Record<string, string>, root: string, workingFolder: string) {
  const all = Object.entries({ ...environment, ...own });
  return {
    cwd: workingFolder,
    env: Object.fromEntries(
      all.map(([name, value]) => [name, name.startsWith('SERVICE_') ? withRoot(value, root) : value]),
    ),
    extendEnv: false,
    reject: false,
    ...(user ?? {}),
  } satisfies Options;
}

/** Start a program of the platform, and wait until it tells its setup link. Ends with the test. */
async function startPlatform([program = '', ...words]: readonly string[], own: Options): Promise<void> {
  const child = execa(program, [...words, '--json'], { ...own, reject: false });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    expect((await child).exitCode).toBe(0);
  });
  await new Promise<void>((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (text) => {
      output += text;
      if (output.includes('"event":"setup"')) resolve();
    });
    void child.then(() => reject(new Error(`The platform did not start: ${output}`)));
  });
}

describe(`deploy/Containerfile, carried out ${asWhom}`, () => {
  it('starts a healthy platform', async () => {
    const { root, entrypoint, command, healthcheck, environment: own } = image;
    const listen = `127.0.0.1:${await freePort()}`;
    const running = options({ ...own, SERVICE_LISTEN: listen }, root, path.join(root, image.workingFolder));
    const inImage = (words: readonly string[]) => words.map((word) => withRoot(word, root));
    const [node = '', ...health] = inImage(healthcheck);
    expect((await execa(node, health, running)).exitCode).toBe(1);
    await startPlatform(inImage([...entrypoint, ...command]), running);
    expect((await execa(node, health, running)).exitCode).toBe(0);
  });

  it('refuses to serve without a public address, and says so', async () => {
    const { root, entrypoint, command, environment: own } = image;
    const [node = '', ...words] = [...entrypoint, ...command].map((word) => withRoot(word, root));
    const { stderr, exitCode } = await execa(node, words, options(own, root, path.join(root, image.workingFolder)));
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--public-url')]);
  });

  it('runs as nobody in particular, from a folder that it cannot change', () => {
    expect(image.user).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    expect(image.workingFolder).toBe('/var/lib/vendor-cloud');
  });
});

/** Settings of a unit; one that stands several times has several values. */
async function readUnit(name: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const settings = new Map<string, string[]>();
  for (const line of (await readFile(deploy(name), 'utf8')).split('\n')) {
    const [, key, value = ''] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? [];
    if (key) settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

const [analyzer = ''] = ['systemd-analyze'];
const hasAnalyzer = spawnSync(analyzer, ['--version']).status === 0;
const reason = hasAnalyzer ? '' : ' (skipped: systemd-analyze is not installed)';

describe.each(['vendor-cloud-platform.service', 'vendor-cloud-host.service'])('deploy/%s', (name) => {
  it.skipIf(!hasAnalyzer)(`is understood and thought safe by systemd${reason}`, async () => {
    const verified = await execa(analyzer, ['verify', '--man=no', deploy(name)], { reject: false, all: true });
    // A machine that builds may have no Node.js in /usr/bin.
    const complaints = (verified.all ?? '')
      .split('\n')
      .filter((line) => line !== '' && !line.includes('/usr/bin/node'));
    expect(complaints).toEqual([]);
    // From 0, which is safest, to 100.
    const safe = await execa(analyzer, ['security', '--offline=true', '--threshold=20', deploy(name)], {
      reject: false,
    });
    expect(safe.stdout.split('\n').at(-1)).toContain('OK');
    expect(safe.exitCode).toBe(0);
  });

  it('starts what is installed, with a state folder of its own', async () => {
    const unit = await readUnit(name);
    const root = path.join(folder, name);
    const modules = path.join(root, 'opt/vendor-cloud/node_modules/@vendor');
    await mkdir(modules, { recursive: true });
    await symlink(path.join(image.root, 'app'), path.join(modules, 'cloud'));
    const state = path.join(root, unit.get('WorkingDirectory')?.[0] ?? '');
    expect(state).toBe(path.join(root, 'var/lib', unit.get('StateDirectory')?.[0] ?? ''));
    await mkdir(path.dirname(state), { recursive: true });
    await mkdir(state, { mode: 0o700 });
    if (user) await execa('chown', ['-R', `${user.uid}:${user.gid}`, state]);
    const [, program = '', ...words] = (unit.get('ExecStart')?.[0] ?? '').split(' ');
    const own = Object.fromEntries((unit.get('Environment') ?? []).map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
    const listen = `127.0.0.1:${await freePort()}`;
    const running = options({ ...own, SERVICE_LISTEN: listen, HOME: state }, root, state);
    const started = [process.execPath, withRoot(program, root), ...words];
    if (words[0] === 'platform') return startPlatform(started, running);
    const { stdout, exitCode } = await execa(started[0] ?? '', [...started.slice(1), '--json'], running);
    expect([exitCode, JSON.parse(stdout).error.code]).toEqual([3, 'CREDENTIALS_MISSING']);
  });
});

/** What these tests read of a service, and the rules that are ours. The published schema checks everything else. */
const serviceSchema = z.looseObject({
  image: z.string(),
  environment: z.record(z.string(), z.string()),
  secrets: z.array(z.string()).optional(),
  ports: z.array(z.string().regex(/^(?:127\.0\.0\.1:)?\d+:\d+$/)).optional(),
  volumes: z.array(z.string().regex(/^[a-z]+:\/[\w/-]+$/)).optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
  healthcheck: z.looseObject({}).optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
});
const composeSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.strictObject({})),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

describe('deploy/compose.yaml', () => {
  const readFileAsYaml = async () => parse(await readFile(deploy('compose.yaml'), 'utf8'), { merge: true });
  const read = async () => composeSchema.parse(await readFileAsYaml());

  it('is valid by the published schema of the Compose Specification', async () => {
    const file = await readFileAsYaml();
    expect(composeProblems(file)).toEqual([]);
    file.services.host.restrat = 'always';
    file.services.platform.tmpfs = 3;
    expect(composeProblems(file)).toEqual(
      expect.arrayContaining([
        '/services/host must NOT have additional properties',
        '/services/platform/tmpfs must be string',
      ]),
    );
  });

  it('names only services, volumes and secrets that are there', async () => {
    const { services, volumes, secrets } = await read();
    for (const service of Object.values(services)) {
      for (const name of Object.keys(service.depends_on ?? {})) {
        expect(services[name]?.healthcheck ?? image.healthcheck).not.toHaveProperty('disable');
      }
      for (const place of service.volumes ?? []) expect(volumes).toHaveProperty(place.split(':')[0] ?? '');
      for (const name of service.secrets ?? []) expect(secrets).toHaveProperty(name);
    }
  });

  it('gives our own containers a read-only root, no capabilities and no secret of its own', async () => {
    const { services } = await read();
    for (const service of Object.values(services).filter((each) => each.image === 'vendor-cloud')) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    }
    expect(await readFile(deploy('compose.env.example'), 'utf8')).not.toMatch(
      /^(?:POSTGRES_PASSWORD|PLATFORM_KEY|HOST_ENV_SECRET)=./m,
    );
  });

  it('asks for the variables that the example lists, and sets those that the product reads', async () => {
    const text = await readFile(deploy('compose.yaml'), 'utf8');
    const asked = new Set([...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name));
    const example = await readFile(deploy('compose.env.example'), 'utf8');
    const listed = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect([...asked].filter((name) => name !== 'EXTRA_CA_CERTS').sort()).toEqual(listed.sort());
    const manifest = await readFile(path.join(repository, 'docs/commands.md'), 'utf8');
    const variables = await readFile(path.join(repository, 'docs/environment.md'), 'utf8');
    const { services } = await read();
    const set = Object.values(services).flatMap(({ environment: own }) => Object.keys(own));
    for (const name of set.filter((each) => each.startsWith('SERVICE_'))) expect(manifest + variables).toContain(name);
  });
});
