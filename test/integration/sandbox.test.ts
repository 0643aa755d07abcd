import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaUploadOf } from '#contracts/schema-upload';
import { silentLogger } from '#kernel/ports/logger';
import { createHttp, type HttpClient } from '#node/http/http-client';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { sha256Hex } from '#node/system/digest';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createAuditClient } from '#platform-client/audit-client';
import { createPlatformClient } from '#platform-client/platform-client';
import { type Sandbox, type SandboxOptions, startSandbox } from '#sandbox/index';
import { schemaCollection, schemaDocument } from '../helpers/schema-document.ts';

const envSecret = 'a'.repeat(64);
const user = { name: 'Ada Lovelace', email: 'ada@example.test' };

let folder: string;
let http: HttpClient;
const running: Sandbox[] = [];

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({
    store: { dialect: 'sqlite', storage: path.join(folder, 'platform', 'store.sqlite') },
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    ...options,
  });
  running.push(sandbox);
  return sandbox;
}

async function signIn(sandbox: Sandbox, project = 'shop') {
  const access = await sandbox.provisionDevelopment({ project, envSecret, user });
  const credentials = { envSecret, userToken: access.userToken };
  return { ...access, client: createPlatformClient({ serverUrl: sandbox.url, http, credentials }) };
}

function versionOf(
  code: Uint8Array,
  change: { readonly message?: string; readonly idempotencyKey?: string; readonly projectId?: number } = {},
) {
  return {
    manifest: {
      formatVersion: 2 as const,
      projectId: change.projectId ?? 1,
      code: { digest: sha256Hex(code), sizeBytes: code.byteLength },
      permissions: null,
      dataSources: { main: { uri: '${DATABASE_URI}' } },
      builtWith: '0.1.0',
      gitCommit: null,
    },
    message: change.message ?? 'first',
    idempotencyKey: change.idempotencyKey ?? systemRandom.uuid(),
  };
}

/** A request as `fetch` would not send it: with a Host header of one's own. */
async function rawStatus(url: string, headers: Record<string, string>): Promise<number> {
  const request = httpRequest(url, { headers });
  request.end();
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sandbox-'));
  http = createHttp({ clock: systemClock, random: systemRandom });
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.stop()));
  await http.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the local platform as an agent sees it', () => {
  it('tells the environment, its permissions and its people', async () => {
    const { client, userId } = await signIn(await start());
    expect((await client.environment()).data.attributes).toEqual({
      name: 'development',
      type: 'development',
      api_endpoint: null,
    });
    expect(await client.environmentPermissions()).toBe(true);
    expect(await client.users()).toEqual([
      {
        id: userId,
        firstName: 'Ada',
        lastName: 'Lovelace',
        fullName: 'Ada Lovelace',
        email: 'ada@example.test',
        permissionLevel: 'admin',
        roleId: 1,
        tags: {},
      },
    ]);
  });

  it('asks for a schema once and lists its collections without restriction afterwards', async () => {
    const { client, renderingId } = await signIn(await start());
    const segments = [{ id: 'orders.Late', name: 'Late' }];
    const document = schemaDocument([schemaCollection('orders', { segments })]);
    expect(await client.checkSchemaHash('h1')).toEqual({ sendSchema: true });
    await client.uploadSchema(document, 'h1');
    expect(await client.checkSchemaHash('h1')).toEqual({ sendSchema: false });
    expect(await client.checkSchemaHash('h2')).toEqual({ sendSchema: true });
    expect((await client.renderingPermissions(renderingId)).collections).toEqual({
      orders: { scope: null, segments: [], liveQuerySegments: [] },
    });
  });

  it('keeps the schema that came last when an agent sends its own while that of another is on its way', async () => {
    const sandbox = await start();
    const { client, userToken } = await signIn(sandbox);
    const begun = JSON.stringify(schemaUploadOf(schemaDocument([schemaCollection('orders')]), 'begun first'));
    const headers = { 'service-secret-key': envSecret, 'content-type': 'application/json' };
    const sending = httpRequest(`${sandbox.url}/service/apimaps`, { method: 'POST', headers });
    const answered = once(sending, 'response');
    // The platform cannot have this one before its last half is there.
    sending.write(begun.slice(0, begun.length / 2));
    await client.uploadSchema(schemaDocument([schemaCollection('products')]), 'begun second');
    sending.end(begun.slice(begun.length / 2));
    const [answer] = await answered;
    answer.resume();
    expect(answer.statusCode).toBe(204);
    expect(await client.checkSchemaHash('begun first')).toEqual({ sendSchema: false });
    const known = await fetch(`${sandbox.url}/api/schema`, { headers: { authorization: `Bearer ${userToken}` } });
    expect(await known.json()).toMatchObject({ schema: { collections: [{ name: 'orders' }] } });
  });

  it('refuses a rendering of another environment', async () => {
    const sandbox = await start();
    const { client } = await signIn(sandbox);
    const other = await sandbox.provisionDevelopment({ project: 'other', envSecret: 'b'.repeat(64), user });
    await expect(client.renderingPermissions(other.renderingId)).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
  });

  it('refuses a secret it does not know', async () => {
    const sandbox = await start();
    const client = createPlatformClient({ serverUrl: sandbox.url, http, credentials: { envSecret: 'c'.repeat(64) } });
    await expect(client.environment()).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
  });
});

describe('the local platform as a person sees it', () => {
  it('knows the person by the token, until it is revoked', async () => {
    const sandbox = await start();
    const { client, userToken, userId } = await signIn(sandbox);
    expect(await client.me()).toEqual({
      user: { id: userId, name: 'Ada Lovelace', email: 'ada@example.test' },
      team: 'Operations',
      roles: [{ name: 'Administrators', source: 'given' }],
      teams: [{ name: 'Operations', source: 'given' }],
      renderingId: expect.any(Number),
      project: 'shop',
      projectId: 1,
      environment: 'development',
    });
    await sandbox.revoke(userToken);
    await expect(client.me()).rejects.toMatchObject({
      code: 'PLATFORM_UNAUTHENTICATED',
      message: expect.stringContaining('revoked'),
    });
  });

  it('refuses the token of a session that a later one replaced', async () => {
    const sandbox = await start();
    const first = await signIn(sandbox);
    const second = await signIn(sandbox);
    await expect(first.client.me()).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
    expect((await second.client.me()).project).toBe('shop');
  });

  it('refuses a token after its time', async () => {
    let now = Date.now();
    const sandbox = await start({ clock: { ...systemClock, now: () => now } });
    const { client } = await signIn(sandbox);
    now += 31 * 24 * 60 * 60 * 1000;
    await expect(client.me()).rejects.toMatchObject({
      code: 'PLATFORM_UNAUTHENTICATED',
      message: expect.stringContaining('expired'),
    });
  });

  it('numbers versions, names their author, and pages them newest first', async () => {
    const { client } = await signIn(await start());
    const code = Buffer.from('module.exports = () => {};');
    expect(await client.uploadBundle(sha256Hex(code), code)).toEqual({ isNew: true });
    expect(await client.uploadBundle(sha256Hex(code), code)).toEqual({ isNew: false });
    for (const message of ['one', 'two', 'three']) {
      const other = Buffer.from(`module.exports = () => '${message}';`);
      expect(await client.missingBundles([sha256Hex(code), sha256Hex(other)])).toEqual([sha256Hex(other)]);
      await client.uploadBundle(sha256Hex(other), other);
      await client.createVersion(versionOf(other, { message }));
    }
    const page = await client.listVersions({ limit: 2 });
    expect(page.versions.map(({ number, message }) => [number, message])).toEqual([
      [3, 'three'],
      [2, 'two'],
    ]);
    expect(page.versions[0]).toMatchObject({
      author: user,
      digest: sha256Hex("module.exports = () => 'three';"),
      builtWith: '0.1.0',
    });
    expect(page.nextBefore).toBe(2);
    const last = await client.listVersions({ limit: 2, before: page.nextBefore ?? undefined });
    expect(last.versions.map(({ number }) => number)).toEqual([1]);
    expect(last.nextBefore).toBeNull();
  });

  it('gives the same version for the same idempotency key or the same content, and refuses the key for other content', async () => {
    const { client } = await signIn(await start());
    const code = Buffer.from('1');
    await client.uploadBundle(sha256Hex(code), code);
    const input = versionOf(code);
    const [first, again] = await Promise.all([client.createVersion(input), client.createVersion(input)]);
    expect(again).toEqual(first);
    expect((await client.listVersions()).versions).toHaveLength(1);
    const same = await client.createVersion(versionOf(code, { message: 'the same bytes again' }));
    expect(same).toEqual(first);
    await expect(client.createVersion({ ...input, message: 'other' })).rejects.toMatchObject({
      code: 'REQUEST_CONFLICT',
      message: expect.stringContaining('idempotency key'),
    });
  });

  it('refuses bytes that are not those of the digest', async () => {
    const { client } = await signIn(await start());
    await expect(client.uploadBundle(sha256Hex('announced'), Buffer.from('sent'))).rejects.toMatchObject({
      code: 'BUNDLE_DIGEST_MISMATCH',
    });
  });

  it('refuses a version of a bundle that was never uploaded', async () => {
    const { client } = await signIn(await start());
    await expect(client.createVersion(versionOf(Buffer.from('nowhere')))).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
    });
  });

  it('refuses a version that was built for another project', async () => {
    const { client } = await signIn(await start());
    const code = Buffer.from('1');
    await client.uploadBundle(sha256Hex(code), code);
    await expect(client.createVersion(versionOf(code, { projectId: 99 }))).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
      message: expect.stringContaining('another one'),
    });
  });

  it('answers 413 to a bundle over the limit', async () => {
    const sandbox = await start();
    const { userToken } = await signIn(sandbox);
    const response = await rawUpload(`${sandbox.url}/api/bundles/${'0'.repeat(64)}`, userToken, 20 * 1024 * 1024 + 1);
    expect(response).toEqual({ status: 413, code: 'BUNDLE_TOO_LARGE' });
  });
});

/** Announces `size` bytes and reads the answer before it sends any of them. */
async function rawUpload(url: string, token: string, size: number): Promise<{ status: number; code: string }> {
  const request = httpRequest(url, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/octet-stream',
      'content-length': String(size),
    },
  });
  request.flushHeaders();
  const [response] = await once(request, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  request.destroy();
  return { status: response.statusCode, code: JSON.parse(Buffer.concat(chunks).toString()).errors[0].code };
}

describe('the store of the local platform', () => {
  it('keeps versions, environments and tokens over a restart', async () => {
    const first = await start();
    const { client, userToken } = await signIn(first);
    const code = Buffer.from('kept');
    await client.uploadBundle(sha256Hex(code), code);
    const version = await client.createVersion(versionOf(code));
    await first.stop();

    const second = await start();
    const again = createPlatformClient({ serverUrl: second.url, http, credentials: { envSecret, userToken } });
    expect((await again.listVersions()).versions).toEqual([version]);
    expect((await again.environment()).data.attributes.name).toBe('development');
  });

  it('keeps the versions of a project that is renamed, and logs its names', async () => {
    const sandbox = await start();
    const { client } = await signIn(sandbox);
    const code = Buffer.from('kept');
    await client.uploadBundle(sha256Hex(code), code);
    const version = await client.createVersion(versionOf(code));
    const renamed = await signIn(sandbox, 'boutique');
    expect(await renamed.client.me()).toMatchObject({ project: 'boutique', projectId: 1 });
    expect((await renamed.client.listVersions()).versions).toEqual([version]);
    const audit = createAuditClient({ serverUrl: sandbox.url, http, credentials: { userToken: renamed.userToken } });
    const log = { project: 'boutique', environment: undefined };
    expect((await audit.adminLogs(log, { include: 'all', resource: 'project' })).data).toMatchObject([
      { type: 'update', previousValue: { name: 'shop' }, newValue: { name: 'boutique' } },
    ]);
  });

  it('gives an environment to the project that has the new name already', async () => {
    const sandbox = await start();
    await signIn(sandbox);
    const other = await sandbox.provisionDevelopment({ project: 'boutique', envSecret: 'b'.repeat(64), user });
    const moved = await signIn(sandbox, 'boutique');
    const credentials = { userToken: other.userToken };
    const there = createPlatformClient({ serverUrl: sandbox.url, http, credentials });
    expect((await moved.client.me()).projectId).toBe((await there.me()).projectId);
  });

  it('holds neither secrets nor tokens in the clear', async () => {
    const sandbox = await start();
    const { userToken } = await signIn(sandbox);
    await sandbox.stop();
    const files = await readdir(path.join(folder, 'platform'));
    const content = Buffer.concat(
      await Promise.all(files.map((file) => readFile(path.join(folder, 'platform', file)))),
    );
    expect(content.byteLength).toBeGreaterThan(0);
    expect(content.includes(envSecret)).toBe(false);
    expect(content.includes(userToken.slice(4))).toBe(false);
  });

  it('is refused when the file is not a database, and the file stays as it was', async () => {
    const storePath = path.join(folder, 'notes.txt');
    await writeFile(storePath, 'shopping list '.repeat(50));
    await expect(start({ store: `sqlite:${storePath}` })).rejects.toMatchObject({ code: 'PLATFORM_STORE_UNAVAILABLE' });
    expect(await readFile(storePath, 'utf8')).toBe('shopping list '.repeat(50));
  });

  it('is refused when the file is a database of something else', async () => {
    const storePath = path.join(folder, 'other.sqlite');
    const other = await openSqlite(storePath);
    other.execute('create table t (a)');
    other.close();
    await expect(start({ store: `sqlite:${storePath}` })).rejects.toMatchObject({
      code: 'PLATFORM_STORE_UNAVAILABLE',
      message: expect.stringContaining('something else'),
    });
  });

  it('is refused when a newer version wrote it', async () => {
    const sandbox = await start();
    await sandbox.stop();
    const storePath = path.join(folder, 'platform', 'store.sqlite');
    const store = await openSqlite(storePath);
    store.execute('pragma user_version = 999');
    store.close();
    await expect(start()).rejects.toMatchObject({
      code: 'PLATFORM_STORE_UNAVAILABLE',
      message: expect.stringContaining('newer version'),
    });
  });

  it('is refused when its folder cannot be made', async () => {
    await writeFile(path.join(folder, 'file'), '');
    await expect(
      start({ store: { dialect: 'sqlite', storage: path.join(folder, 'file', 'store.sqlite') } }),
    ).rejects.toMatchObject({
      code: 'PLATFORM_STORE_UNAVAILABLE',
    });
  });
});

describe('the server of the local platform', () => {
  it('answers its health without credentials', async () => {
    const sandbox = await start();
    await createPlatformClient({ serverUrl: sandbox.url, http, credentials: {} }).health();
    const response = await fetch(`${sandbox.url}/health`);
    expect(await response.json()).toEqual({ status: 'ok', service: 'vendor-cloud-platform' });
  });

  it('refuses names that are not its own and pages of other origins', async () => {
    const sandbox = await start();
    const { host } = new URL(sandbox.url);
    expect(await rawStatus(`${sandbox.url}/health`, { host: 'evil.example' })).toBe(403);
    expect(await rawStatus(`${sandbox.url}/health`, { host, origin: 'https://evil.example' })).toBe(403);
    expect(await rawStatus(`${sandbox.url}/health`, { host, origin: 'null' })).toBe(403);
    expect(await rawStatus(`${sandbox.url}/health`, { host, origin: sandbox.url })).toBe(200);
    expect(await rawStatus(`${sandbox.url}/health`, { host: `localhost:${new URL(sandbox.url).port}` })).toBe(200);
  });

  it('answers every refusal with the error envelope', async () => {
    const sandbox = await start();
    const { userToken } = await signIn(sandbox);
    const authorization = `Bearer ${userToken}`;
    const post = { method: 'POST', headers: { authorization, 'content-type': 'application/json' } };
    const cases: [string, RequestInit, number, string][] = [
      ['/nowhere', {}, 404, 'REQUEST_NOT_FOUND'],
      ['/%zz', {}, 400, 'REQUEST_INVALID'],
      ['/api/me', {}, 401, 'REQUEST_UNAUTHENTICATED'],
      ['/api/me', { headers: { authorization: `Bearer vcu_${'0'.repeat(64)}` } }, 401, 'REQUEST_UNAUTHENTICATED'],
      ['/api/versions', { ...post, body: '{' }, 400, 'REQUEST_INVALID'],
      ['/api/versions', { ...post, body: '{}' }, 400, 'REQUEST_INVALID'],
      ['/api/versions', { ...post, body: JSON.stringify('x'.repeat(2_000_000)) }, 413, 'REQUEST_TOO_LARGE'],
      ['/api/versions?limit=1000', { headers: { authorization } }, 400, 'REQUEST_INVALID'],
      ['/api/bundles/short', { method: 'PUT', headers: { authorization }, body: 'x' }, 400, 'REQUEST_INVALID'],
      ['/agent-schema', { ...post, body: '{}' }, 404, 'REQUEST_NOT_FOUND'],
    ];
    for (const [route, init, status, code] of cases) {
      const response = await fetch(sandbox.url + route, init);
      expect([route, response.status]).toEqual([route, status]);
      const isRouteUnknown = route === '/nowhere' || route === '/agent-schema';
      const name = isRouteUnknown ? 'UnknownRouteError' : expect.not.stringMatching(/^UnknownRouteError$/);
      expect(await response.json()).toMatchObject({ errors: [{ status, code, name }] });
    }
  });

  it('takes another port when the usual one is busy, and names the owner when the port was asked for', {
    tags: 'long',
  }, async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = blocker.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const sandbox = await start({ port: { port, isExact: false } });
    expect(new URL(sandbox.url).port).not.toBe(String(port));
    expect((await fetch(`${sandbox.url}/health`)).status).toBe(200);
    const owner = process.platform === 'linux' ? `node (pid ${process.pid})` : `Port ${port}`;
    await expect(
      start({
        store: { dialect: 'sqlite', storage: path.join(folder, 'second.sqlite') },
        port: { port, isExact: true },
      }),
    ).rejects.toMatchObject({ code: 'MACHINE_PORT_IN_USE', message: expect.stringContaining(owner) });
    blocker.close();
  });

  it('stops while connections are open, and can be stopped twice', async () => {
    const sandbox = await start();
    const { port } = new URL(sandbox.url);
    const idle = connect(Number(port), '127.0.0.1');
    await once(idle, 'connect');
    const kept = connect(Number(port), '127.0.0.1');
    await once(kept, 'connect');
    kept.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: keep-alive\r\n\r\n`);
    await once(kept, 'data');
    const halfSent = connect(Number(port), '127.0.0.1');
    await once(halfSent, 'connect');
    halfSent.on('error', () => undefined);
    halfSent.write(`POST /api/versions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 100\r\n\r\n`);
    const answers: Buffer[] = [];
    halfSent.on('data', (data: Buffer) => void answers.push(data));
    const isCut = once(halfSent, 'close');
    await Promise.all([sandbox.stop(), sandbox.stop()]);
    await isCut;
    // It was not kept until the time limit of requests, which is answered with 408.
    expect(Buffer.concat(answers).toString()).not.toContain(' 408 ');
    for (const socket of [idle, kept, halfSent]) socket.destroy();
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
  });

  it('lets agents be reached from everywhere, until a test says otherwise', async () => {
    const sandbox = await start({ isForTests: true });
    const { client } = await signIn(sandbox);
    expect(await client.ipRules()).toEqual({ use_ip_whitelist: false, rules: [] });
    const rules = { use_ip_whitelist: true, rules: [{ type: 0, ip: '192.0.2.1' }] };
    await fetch(`${sandbox.url}/ip-rules`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'service-secret-key': envSecret },
      body: JSON.stringify(rules),
    });
    expect(await client.ipRules()).toEqual(rules);
  });

  it('takes each approval for one run in an environment, also after a restart, until a day after its end', async () => {
    let now = Date.now();
    const clock = { now: () => now, monotonicMs: () => now };
    const sandbox = await start({ clock });
    const { client } = await signIn(sandbox);
    const expiresAt = Math.floor(now / 1000) + 60;
    const [first, second] = [systemRandom.uuid(), systemRandom.uuid()];
    const spending = { digest: sha256Hex('approval'), expiresAt };
    expect(await client.spendApproval({ ...spending, runId: first })).toEqual({ isFirstRun: true });
    await sandbox.stop();
    const restarted = await start({ clock });
    const later = (await signIn(restarted)).client;
    expect(await later.spendApproval({ ...spending, runId: first })).toEqual({ isFirstRun: true });
    expect(await later.spendApproval({ ...spending, runId: second })).toEqual({ isFirstRun: false });
    const elsewhere = { envSecret: 'b'.repeat(64) };
    await restarted.provisionDevelopment({ project: 'other', ...elsewhere, user });
    const other = createPlatformClient({ serverUrl: restarted.url, http, credentials: elsewhere });
    expect(await other.spendApproval({ ...spending, runId: second })).toEqual({ isFirstRun: true });
    now += 24 * 60 * 60_000;
    expect(await later.spendApproval({ ...spending, runId: second })).toEqual({ isFirstRun: false });
    now += 120_000;
    expect(await later.spendApproval({ ...spending, runId: second })).toEqual({ isFirstRun: true });
    await expect(later.spendApproval({ ...spending, digest: 'x', runId: first })).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
    });
  });
});
