/**
 * `npm run test:mcp-conformance`: the official suite against the real tools and against fixtures, in both revisions of the
 * protocol, the one for authorization servers, and the one for clients against `mcp tools` and `mcp call`. What need not pass
 * is in `expected-failures`, with its reason. Needs the program built, and the npm registry.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { authorizationConforms } from './authorization.ts';
import { startTokenProxy } from './inject-token.ts';
import { type ServedMode, serveFixtures, serveProduct } from './modes.ts';

/** The newest release, and the newest alpha, which knows the requirements of each revision. */
const releases = { stable: '0.1.16', alpha: '0.2.0-alpha.12' } as const;

interface Run {
  readonly name: string;
  readonly release: keyof typeof releases;
  readonly parameters: readonly string[];
}

const runs: readonly Run[] = [
  { name: '2025-11-25', release: 'alpha', parameters: ['--requirements', '2025-11-25'] },
  { name: '2026-07-28', release: 'alpha', parameters: ['--requirements', '2026-07-28'] },
  { name: 'stable', release: 'stable', parameters: ['--suite', 'active'] },
];

/** How npm runs a release of the suite. */
function callOf(release: keyof typeof releases): readonly string[] {
  return ['exec', '--yes', `--package=@modelcontextprotocol/conformance@${releases[release]}`, '--', 'conformance'];
}

async function conforms(mode: string, url: string, { name, release, parameters }: Run, folder: string) {
  const expected = path.join(import.meta.dirname, 'expected-failures', `${mode}-${name}.yml`);
  const output = path.join(folder, `${mode}-${name}`);
  const words = [
    ...callOf(release),
    'server',
    '--url',
    url,
    ...parameters,
    '--expected-failures',
    expected,
    '-o',
    output,
  ];
  console.log(`\n── ${mode}, ${name}`);
  const child = spawn('npm', words, { stdio: 'inherit', env: { ...process.env, npm_config_loglevel: 'error' } });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

async function conformsInAll(mode: string, served: ServedMode, folder: string): Promise<boolean> {
  const proxy = await startTokenProxy(served.url, served.token);
  try {
    let isFine = true;
    for (const run of runs) isFine = (await conforms(mode, `${proxy.origin}/mcp`, run, folder)) && isFine;
    return isFine;
  } finally {
    proxy.close();
    await served.stop();
  }
}

/** What `mcp tools` and `mcp call` are asked as clients, the address behind each. */
const clientRuns: readonly (readonly [scenario: string, command: string, revision?: string])[] = [
  ['initialize', 'mcp tools --mcp-url'],
  ['tools_call', 'mcp call add_numbers --set a=5 --set b=3 --mcp-url', '2025-11-25'],
  ['tools_call', 'mcp call add_numbers --set a=5 --set b=3 --mcp-url', '2026-07-28'],
  ['request-metadata', 'mcp tools --mcp-url'],
  ['json-schema-ref-no-deref', 'mcp tools --mcp-url'],
];

/**
 * Scenarios that ask for several calls, each by a process of its own. The others of the suite are about what the commands do not do:
 * to sign in by themselves, to answer questions of a server, and to show the schemas of tools.
 */
const drivenRuns = ['http-standard-headers', 'http-custom-headers', 'http-invalid-tool-headers'];

/** The commands of the product in the role of a client. */
async function clientsConform(folder: string): Promise<boolean> {
  const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');
  const env = { ...process.env, npm_config_loglevel: 'error', SERVICE_MCP_TOKEN: 'any' };
  const driver = path.resolve(import.meta.dirname, 'client-driver.ts');
  const commands = [
    ...clientRuns.map(([scenario, command, revision]) => [scenario, `${bin} ${command}`, revision] as const),
    ...drivenRuns.map((scenario) => [scenario, `${driver} ${bin}`, '2026-07-28'] as const),
  ];
  let isFine = true;
  for (const [scenario, command, revision] of commands) {
    console.log(`\n── client, ${scenario} ${revision ?? ''}`);
    const asked = ['client', '--scenario', scenario, '--command', `${process.execPath} ${command}`];
    const words = [...callOf('alpha'), ...asked, ...(revision === undefined ? [] : ['--spec-version', revision])];
    const child = spawn('npm', words, { stdio: 'inherit', cwd: folder, env });
    const [code] = (await once(child, 'exit')) as [number | null];
    isFine = code === 0 && isFine;
  }
  return isFine;
}

const folder = await mkdtemp(path.join(tmpdir(), 'mcp-conformance-'));
const fixtures = await conformsInAll('fixtures', await serveFixtures(), folder);
const product = await conformsInAll('product', await serveProduct(folder), folder);
console.log('\n── authorization');
const authorization = await authorizationConforms(['npm', ...callOf('alpha')], folder);
const clients = await clientsConform(folder);
if (fixtures && product && authorization && clients) {
  console.log('\nEvery scenario passes that applies.');
  await rm(folder, { recursive: true, force: true });
} else {
  console.log(`\nA scenario failed that should pass. The checks of each are in ${folder}`);
  process.exitCode = 1;
}
