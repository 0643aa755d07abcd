import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { insightsSchema } from '#contracts/insights';
import { rollBack } from '#flows/deployments/roll-back';
import { push } from '#flows/push/push';
import { serve } from '#flows/serve/serve';
import type { ServeEvent } from '#flows/serve/serve-event';
import { silentLogger } from '#kernel/ports/logger';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import { type Sandbox, startSandbox } from '#sandbox/index';
import { createRecord } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { freePort } from '../helpers/free-port.ts';
import { sessionTokenFor } from '../helpers/session-token.ts';
import { createShopProject } from '../helpers/shop-project.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

type EventOf<Name extends ServeEvent['event']> = Extract<ServeEvent, { event: Name }>;

const envSecret = 'e'.repeat(64);
/** Code whose greetings are a JavaScript expression. */
const codeWith = (value: string) =>
  `import type { Agent } from '@vendor/cloud';
   export default (agent: Agent) => agent.customizeCollection('customers', (customers) => customers.addField('greeting', {
     columnType: 'String', dependencies: ['first_name'], getValues: (records) => records.map(() => ${value}) }));`;

let root: string;
let platformFolder: string;
let sandbox: Sandbox;
let client: PlatformClient;
let variables: Record<string, string>;

beforeEach(async () => {
  root = await createShopProject();
  platformFolder = await temporaryFolder();
  sandbox = await startPlatform(platformFolder);
  const access = await sandbox.provisionDevelopment({
    project: 'shop',
    envSecret,
    user: { name: 'Ada Lovelace', email: 'ada@example.test' },
  });
  variables = { SERVICE_SERVER_URL: sandbox.url, SERVICE_AUTH_TOKEN: access.userToken };
  const credentials = { userToken: access.userToken };
  client = createPlatformClient({ serverUrl: sandbox.url, http: flowContext(root).http, credentials });
});

async function startPlatform(folder: string, port = 0): Promise<Sandbox> {
  const { clock, random } = flowContext(folder);
  const started = await startSandbox({
    store: `sqlite:${path.join(folder, 'platform.sqlite')}`,
    port: { port, isExact: port !== 0 },
    clock,
    random,
    logger: silentLogger,
    platformKey: 'a'.repeat(64),
  });
  onTestFinished(() => started.stop());
  return started;
}

const pushContext = () => ({ ...flowContext(root), variables });

/** Push the project with other code; resolves when the deployment is live. */
async function pushCode(value: string) {
  await writeFile(path.join(root, 'src/index.ts'), codeWith(value));
  return push(pushContext(), { folder: root, message: value, isDeployed: true });
}

/** A host of the environment in this process, with one worker unless more are asked for. */
function startHost(
  name: string,
  stateFolder: string,
  {
    serverUrl = sandbox.url,
    port = 0,
    mcpPort = 0,
    variables = {},
    workers = 1,
  }: Partial<{
    serverUrl: string;
    port: number;
    mcpPort: number;
    variables: Readonly<Record<string, string>>;
    workers: number;
  }> = {},
) {
  const events: ServeEvent[] = [];
  let wake: (() => void) | undefined;
  const quit = new AbortController();
  const ports = { agent: { port, isExact: port !== 0 }, mcp: { port: mcpPort, isExact: mcpPort !== 0 } };
  const session = serve(
    { ...flowContext(root), variables },
    {
      serverUrl,
      envSecret,
      name,
      bindAddress: '127.0.0.1',
      ports,
      workers,
      stateFolder,
      drainMs: 100,
      signal: quit.signal,
      tell: (event) => {
        events.push(event);
        wake?.();
      },
    },
  );
  const stop = async () => {
    quit.abort();
    await session;
  };
  onTestFinished(() => stop().catch(() => undefined)); // A test that expects an error has seen it.
  const next = async <Name extends ServeEvent['event']>(wanted: Name): Promise<EventOf<Name>> => {
    for (;;) {
      const event = events.shift();
      if (event?.event === wanted) return event as EventOf<Name>;
      if (event) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { next, stop, session };
}

/** A port that another server listens on until the test ends. */
async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** What the agent of a host answers to a request for the first customer's greeting. */
async function greetingAt(url: string, token?: string): Promise<unknown> {
  const response = await fetch(`${url}/customers/1?fields[customers]=greeting&timezone=UTC`, {
    headers: { authorization: `Bearer ${token ?? (await agentToken())}` },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return (JSON.parse(text) as { data: { attributes: { greeting: string } } }).data.attributes.greeting;
}

/** A session token of Ada for the hosts. */
function agentToken(variablesRevision = 0): Promise<string> {
  return sessionTokenFor({ platformUrl: sandbox.url, envSecret, variablesRevision });
}

describe('a host of an environment', () => {
  it('waits for the first push, serves it, and swaps to the next one', async () => {
    const host = startHost('one', await temporaryFolder());
    await host.next('waiting');
    const { deployment } = await pushCode("'first'");
    expect(deployment).toMatchObject({ number: 1, version: 1, state: 'live', note: null });
    const { url } = await host.next('serving');
    expect(await greetingAt(url)).toBe('first');
    expect((await pushCode("'second'")).deployment).toMatchObject({ number: 2, version: 2, state: 'live' });
    expect(await host.next('serving')).toMatchObject({ deployment: 2, url });
    expect(await greetingAt(url)).toBe('second');
    const { hosts } = await client.hosts();
    expect(hosts).toEqual([expect.objectContaining({ name: 'one', serving: 2, isConnected: true })]);
    const { live, deployments } = await client.listDeployments();
    expect({ live, states: deployments.map(({ state }) => state) }).toEqual({ live: 2, states: ['live', 'replaced'] });
  });

  it('adds up what all of its workers have counted, whichever of them answers', { tags: 'long' }, async () => {
    const host = startHost('one', await temporaryFolder(), { workers: 2 });
    await pushCode("'first'");
    const { url } = await host.next('serving');
    const headers = { authorization: `Bearer ${await agentToken()}` };
    /** On a connection of its own, which the system gives to one of the workers. */
    const ask = async (path: string) => {
      const request = httpRequest(`${url}${path}`, { agent: false, headers });
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const text = Buffer.concat(await response.toArray()).toString();
      expect(response.statusCode, text).toBe(200);
      return text;
    };
    const calls = 40;
    for (let call = 0; call < calls; call++) await ask('/customers/1?fields[customers]=first_name&timezone=UTC');
    for (let answer = 0; answer < 10; answer++) {
      const { host: name, queries, workers } = insightsSchema.parse(JSON.parse(await ask('/_internal/insights')));
      expect(name).toBe('one');
      expect(workers).toMatchObject({ count: 2, answered: 2 });
      expect(queries.find(({ id }) => id === 'record customers')?.calls).toBe(calls);
    }
  });

  it('serves its MCP server behind the address that SERVICE_MCP_SERVER_URL names', { tags: 'long' }, async () => {
    const mcpPort = await freePort();
    const variables = { SERVICE_MCP_SERVER_URL: 'https://admin.example.test' };
    const host = startHost('one', await temporaryFolder(), { mcpPort, variables });
    await pushCode("'first'");
    await host.next('serving');
    const request = httpRequest({
      port: mcpPort,
      path: '/.well-known/oauth-protected-resource/mcp',
      headers: { host: 'admin.example.test' },
    });
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const text = Buffer.concat(await response.toArray()).toString();
    expect(response.statusCode, text).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ resource: 'https://admin.example.test/mcp' });
  });

  it('refuses a write that cannot be recorded, as long as the project says so', { tags: 'long' }, async () => {
    const stateFolder = await temporaryFolder();
    // A file is not a place for reports.
    await writeFile(path.join(stateFolder, 'activity'), '');
    const host = startHost('one', stateFolder, { variables: { SERVICE_DURABLE_WRITES: 'false' } });
    const config = path.join(root, 'vendor-cloud.json');
    const project = JSON.parse(await readFile(config, 'utf8')) as object;
    const requireRecords = (isRequired: boolean) =>
      writeFile(config, JSON.stringify({ ...project, activityRequired: isRequired }));
    await requireRecords(true);
    await pushCode("'first'");
    const { url } = await host.next('serving');
    const token = await agentToken();
    const rename = async () => {
      const response = await fetch(`${url}/customers/1?timezone=UTC`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ data: { attributes: { first_name: 'Grace' } } }),
      });
      return response.status;
    };
    expect(await rename()).toBe(503);
    await requireRecords(false);
    await pushCode("'second'");
    await host.next('serving');
    expect(await rename()).toBe(200);
    await requireRecords(true);
    await pushCode("'third'");
    await host.next('serving');
    expect(await rename()).toBe(503);
  });

  it('refuses a write that needs a column which is gone, says what helps, and does it after that', {
    tags: 'long',
  }, async () => {
    const database = await openSqlite(path.join(root, 'shop.sqlite'));
    onTestFinished(() => database.close());
    database.execute('create table notes (id integer primary key, text text, label text)');
    const stateFolder = await temporaryFolder();
    const host = startHost('one', stateFolder);
    await pushCode("'first'");
    const at = async ({ url }: { readonly url: string }) => ({ ready: { agent: { url }, token: await agentToken() } });
    const before = await at(await host.next('serving'));
    expect(await createRecord(before, 'notes', { text: 'a' })).toEqual([200]);
    database.execute('alter table notes drop column label');
    expect(await createRecord(before, 'notes', { text: 'b' })).toEqual([503, 'DATABASE_TABLE_CHANGED']);
    const { error } = await host.next('request-failed');
    expect(error.message).toContain('The column "label" of "notes" is no longer there.');
    expect(error.nextSteps).toContainEqual(expect.stringContaining('end "vendor-cloud serve" and start it again'));
    await host.stop();
    const restarted = await at(await startHost('one', stateFolder).next('serving'));
    expect(await createRecord(restarted, 'notes', { text: 'c' })).toEqual([200]);
    expect(database.all('select text from notes order by id', [])).toEqual([{ text: 'a' }, { text: 'c' }]);
  });

  it('refuses a write whose report cannot be written, also where no record is required', async () => {
    const stateFolder = await temporaryFolder();
    await writeFile(path.join(stateFolder, 'activity'), '');
    const host = startHost('one', stateFolder);
    await pushCode("'first'");
    const { url } = await host.next('serving');
    const authorization = `Bearer ${await agentToken()}`;
    const response = await fetch(`${url}/customers/1?timezone=UTC`, {
      method: 'PUT',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ data: { attributes: { first_name: 'Grace' } } }),
    });
    expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('ACTIVITY_NOT_RECORDED')]);
    expect((await fetch(`${url}/customers/1?timezone=UTC`, { headers: { authorization } })).status).toBe(200);
  });

  it('refuses code that does not pass its check, and keeps serving what it served', async () => {
    const host = startHost('one', await temporaryFolder());
    await pushCode("'good'");
    const { url } = await host.next('serving');
    // It passes the check of the push: the machine of the host lacks what the code needs.
    const refused = pushCode(
      "(() => { if (!process.env.PATH) throw new Error('broken on purpose'); return 'here'; })()",
    );
    await expect(refused).rejects.toMatchObject({
      code: 'DEPLOYMENT_FAILED',
      message: expect.stringContaining('broken on purpose'),
    });
    expect(await host.next('refused')).toMatchObject({ deployment: 2 });
    expect(await greetingAt(url)).toBe('good');
    const { live, deployments } = await client.listDeployments();
    expect({ live, newest: deployments[0]?.state }).toEqual({ live: 1, newest: 'failed' });
    const { lines } = await client.deploymentLog(2, { after: 0, waitMs: 0 });
    expect(lines.map(({ text }) => text)).toEqual([
      'Checking on one host.',
      expect.stringContaining('The host "one" refused it: '),
    ]);
    const { lines: said } = await client.logs({ level: 'Error' });
    expect(said).toEqual([
      expect.objectContaining({ host: 'one', text: expect.stringContaining('broken on purpose') }),
    ]);
  });

  it('swaps back without a check', async () => {
    const host = startHost('one', await temporaryFolder());
    await pushCode("'old'");
    await pushCode("'new'");
    await host.next('serving');
    const { deployment } = await rollBack(pushContext(), {
      folder: root,
      environment: undefined,
      to: undefined,
      confirm: async () => true,
    });
    expect(deployment).toMatchObject({ number: 3, version: 1, state: 'live' });
    await host.next('serving');
    const { url } = await host.next('serving');
    expect(await greetingAt(url)).toBe('old');
    const { lines } = await client.deploymentLog(3, { after: 0, waitMs: 0 });
    expect(lines.map(({ text }) => text)).toEqual(['Checking on one host.', 'Version 1 is live on one host.']);
  });

  it('gives the code the variables of the deployment', async () => {
    const host = startHost('one', await temporaryFolder());
    await client.changeVariables({ set: { GREETING: 'Ahoy', SPARE: '1' }, unset: [], base: 0 });
    expect(await client.changeVariables({ set: {}, unset: ['SPARE'], base: 1 })).toEqual({
      revision: 2,
      names: ['GREETING'],
      change: { at: expect.any(String), author: { name: 'Ada Lovelace', email: 'ada@example.test' } },
    });
    await expect(client.changeVariables({ set: {}, unset: [], base: 1 })).rejects.toMatchObject({
      message: expect.stringContaining('changed meanwhile'),
    });
    await pushCode("process.env['GREETING'] + String(process.env['SPARE'])");
    const { url } = await host.next('serving');
    expect(await greetingAt(url, await agentToken(2))).toBe('Ahoyundefined');
  });

  it('starts from what it kept when the platform is away, and joins it again', async () => {
    const state = await temporaryFolder();
    const first = startHost('one', state);
    await pushCode("'kept'");
    const token = await agentToken();
    // What the platform allows is kept once somebody has asked.
    expect(await greetingAt((await first.next('serving')).url, token)).toBe('kept');
    await first.stop();
    const { port } = new URL(sandbox.url);
    await sandbox.stop();
    const second = startHost('one', state);
    await second.next('platform-away');
    const { url } = await second.next('serving');
    expect(await greetingAt(url, token)).toBe('kept');
    sandbox = await startPlatform(platformFolder, Number(port));
    await second.next('platform-back');
    expect((await client.hosts()).hosts).toEqual([expect.objectContaining({ serving: 1, isConnected: true })]);
  });

  it('ends with the reason when one of its ports is taken, before it waits for a version', {
    tags: 'long',
  }, async () => {
    for (const name of ['port', 'mcpPort']) {
      const { session } = startHost('one', await temporaryFolder(), { [name]: await takenPort() });
      await expect(session).rejects.toMatchObject({ code: 'MACHINE_PORT_IN_USE' });
    }
    expect((await client.hosts()).hosts).toEqual([]);
  });

  it('tells the platform what the collections look like, and which origins pages may call for webhooks', {
    tags: 'long',
  }, async () => {
    const host = startHost('one', await temporaryFolder());
    const configFile = path.join(root, 'vendor-cloud.json');
    const config = JSON.parse(await readFile(configFile, 'utf8')) as object;
    const webhookOrigins = ['https://hooks.example.com'];
    await writeFile(configFile, JSON.stringify({ ...config, rest: { webhookOrigins } }));
    await pushCode("'seen'");
    const { url } = await host.next('serving');
    const authorization = `Bearer ${await agentToken()}`;
    const schema = await fetch(`${url}/_internal/schema?timezone=UTC`, { headers: { authorization } });
    expect(await schema.json()).toMatchObject({ webhookOrigins });
    const known = await fetch(`${sandbox.url}/api/schema`, {
      headers: { authorization: `Bearer ${variables['SERVICE_AUTH_TOKEN']}` },
    });
    expect(await known.json()).toMatchObject({ schema: { meta: { webhook_origins: webhookOrigins } } });
    const document = { roles: { clerks: { collections: { custommers: { browse: true } } } } };
    await expect(client.replaceRights({ document, base: 0 })).rejects.toMatchObject({
      code: 'PERMISSION_FILE_INVALID',
      message: expect.stringContaining('customers'),
    });
  });

  it('is live without a host, and says so', async () => {
    expect((await pushCode("'nobody'")).deployment).toMatchObject({
      state: 'live',
      note: 'No host serves it: none is connected.',
    });
  });
});

describe('a deployment', () => {
  it('is refused when another one went live meanwhile', async () => {
    const { version } = await pushCode("'one'");
    const target = { version: version.number };
    const stale = client.createDeployment({ target, base: null, idempotencyKey: randomUUID() });
    await expect(stale).rejects.toMatchObject({ message: expect.stringContaining('Deployment 1') });
    const idempotencyKey = randomUUID();
    const made = await client.createDeployment({ target, base: 1, idempotencyKey });
    expect(await client.createDeployment({ target, base: 1, idempotencyKey })).toMatchObject({ number: made.number });
  });

  it('is one version when the same code is pushed twice', async () => {
    const first = await pushCode("'same'");
    const second = await pushCode("'same'");
    expect(second.version).toEqual(first.version);
    expect((await client.listVersions()).versions).toHaveLength(1);
    await writeFile(path.join(root, 'permissions.json'), '{ "roles": {} }');
    expect((await pushCode("'same'")).version.number).toBe(2);
  });
});
