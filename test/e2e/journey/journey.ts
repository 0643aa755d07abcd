import { strict as assert } from 'node:assert';
import { access, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { execa } from 'execa';
import { DevProcess } from '../../helpers/dev-process.ts';

/**
 * The main job from one end to the other, through the packed binary: scaffold, serve, ask, edit, break, mend, push, stop.
 * A program of its own, so that it can run as a whole where no address but loopback is reachable.
 *
 * Usage: node journey.ts <bin> <empty folder> [--expect-offline]
 */
const [bin = '', folder = '', mode] = process.argv.slice(2);
const report: Record<string, unknown> = {};

interface Ready {
  readonly project: { readonly path: string };
  readonly agent: { readonly url: string };
  readonly sandbox: { readonly url: string };
  readonly mcp: { readonly url: string; readonly token: string };
  readonly token: string;
}

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly relationships?: Readonly<Record<string, unknown>>;
}

if (mode === '--expect-offline') await assertOffline();
const dev = new DevProcess(bin, ['demo', 'shop', '--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'], {
  cwd: folder,
});
// A step that fails ends this program, and the session must not outlive it.
process.on('exit', () => dev.child.kill('SIGKILL'));
const ready = (await dev.next('ready')) as unknown as Ready;
const entry = path.join(ready.project.path, 'src/index.ts');
const original = await readFile(entry, 'utf8');

await readAndWrite();
await askTheAssistantsServer();
await keepTokensApart();
await editTheCode();
await breakTheCode();
await useTheOtherCommands();
await stop();
process.stdout.write(`${JSON.stringify(report)}\n`);

async function api(method: string, pathAndQuery: string, body?: unknown, token = ready.token) {
  const separator = pathAndQuery.includes('?') ? '&' : '?';
  const response = await fetch(`${ready.agent.url}${pathAndQuery}${separator}timezone=Europe/Paris`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

async function readAndWrite(): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ field: 'tier', operator: 'equal', value: 'gold' }));
  const list = await api(
    'GET',
    `/customers?fields[customers]=id,email,tier&filters=${filters}&sort=-id&page[size]=3&page[number]=2`,
  );
  assert.equal(list.status, 200);
  const rows: Resource[] = list.body.data;
  assert.equal(rows.length, 3);
  assert.ok(rows.every((row) => row.attributes['tier'] === 'gold'));
  assert.deepEqual(Object.keys(rows[0]?.attributes ?? {}).sort(), ['email', 'id', 'tier']);
  assert.ok(Number(rows[0]?.id) > Number(rows[1]?.id));

  const count = await api('GET', '/customers/count');
  assert.ok(count.body.count > 1_000);
  const one = await api('GET', `/customers/${rows[0]?.id}`);
  assert.equal(one.body.data.attributes.email, rows[0]?.attributes['email']);

  const attributes = { name: 'Journey' };
  const created = await api('POST', '/categories', { data: { type: 'categories', attributes } });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const { id } = created.body.data as Resource;
  const updated = await api('PUT', `/categories/${id}`, {
    data: { type: 'categories', id, attributes: { name: 'Renamed' } },
  });
  assert.equal(updated.body.data.attributes.name, 'Renamed');
  assert.equal((await api('DELETE', `/categories/${id}`)).status, 204);
  assert.equal((await api('GET', `/categories/${id}`)).status, 404);
  report['rest'] = { listed: rows.length, customers: count.body.count, created: id };
}

async function askTheAssistantsServer(): Promise<void> {
  const client = new Client({ name: 'journey', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${ready.mcp.token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(ready.mcp.url), { requestInit }) as Parameters<Client['connect']>[0],
  );
  const { tools } = await client.listTools();
  const described = await client.callTool({ name: 'describeCollection', arguments: { collectionName: 'orders' } });
  assert.notEqual(described.isError, true, JSON.stringify(described));
  const listed = await client.callTool({
    name: 'list',
    arguments: { collectionName: 'orders', pagination: { size: 2, number: 1 } },
  });
  assert.notEqual(listed.isError, true, JSON.stringify(listed));
  const { records } = listed.structuredContent as { records: unknown[] };
  assert.equal(records.length, 2);
  await client.close();
  report['mcp'] = { tools: tools.map((tool) => tool.name).sort() };
}

async function keepTokensApart(): Promise<void> {
  assert.equal((await api('GET', '/customers/count', undefined, ready.mcp.token)).status, 401);
  const headers = {
    authorization: `Bearer ${ready.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  assert.equal((await fetch(ready.mcp.url, { method: 'POST', headers, body })).status, 401);
}

async function editTheCode(): Promise<void> {
  const addition = `
    agent.customizeCollection('products', (products) =>
      products
        .addField('shouted', { columnType: 'String', dependencies: ['name'], getValues: (rows) => rows.map((row) => row.name.toUpperCase()) })
        .addSegment('First', { field: 'id', operator: 'Equal', value: 1 })
        .addAction('Greet', { scope: 'Single', execute: async (context, result) => result.success(\`Hello \${(await context.getRecord(['name'])).name}\`) }),
    );`;
  await save(original.replace('): void {', `): void {${addition}`));
  const reloaded = await dev.next('reloaded');
  const list = await api('GET', '/products?fields[products]=id,name,shouted&segment=First');
  const [row] = list.body.data as Resource[];
  assert.equal(row?.attributes['shouted'], String(row?.attributes['name']).toUpperCase());
  const action = await api('POST', '/_actions/products/0/greet', {
    data: { attributes: { ids: [row?.id], values: {} } },
  });
  assert.equal(action.body.success, `Hello ${row?.attributes['name']}`);
  report['reload'] = { ms: reloaded['ms'] };
}

async function breakTheCode(): Promise<void> {
  const good = await readFile(entry, 'utf8');
  const broken: Record<string, string> = {
    BUILD_FAILED: good.replace('): void {', '): void { const = 1;'),
    CUSTOMIZATION_FAILED: good.replace('): void {', "): void { throw new Error('on purpose');"),
    CUSTOMIZATION_NOT_A_FUNCTION: good.replace('export default function customize', 'export function customize'),
    CUSTOMIZATION_INVALID: good.replace("customizeCollection('products'", "customizeCollection('prodcuts'"),
    CUSTOMIZATION_UNRESPONSIVE: good.replace('): void {', '): void { while (true) {}'),
    CUSTOMIZATION_EXITED: good.replace(
      '): void {',
      '): void { (globalThis as unknown as { process: { exit(): void } }).process.exit();',
    ),
  };
  const seen: Record<string, unknown> = {};
  for (const [code, text] of Object.entries(broken)) {
    await save(text);
    const { error } = (await dev.next('error')) as unknown as {
      error: { code: string; nextSteps: string[]; location?: { line: number; frame?: string } };
    };
    assert.equal(error.code, code, JSON.stringify(error));
    assert.ok(error.nextSteps.length > 0);
    if (code === 'CUSTOMIZATION_UNRESPONSIVE' || code === 'CUSTOMIZATION_EXITED') await dev.next('restarted');
    const list = await api('GET', '/products?fields[products]=id,shouted&page[size]=1');
    assert.equal(list.status, 200, `${code}: ${JSON.stringify(list.body)}`);
    seen[code] = { line: error.location?.line, hasFrame: error.location?.frame !== undefined };
    await save(good);
    await dev.next('reloaded');
  }
  report['broken'] = seen;
}

async function useTheOtherCommands(): Promise<void> {
  const typings = path.join(ready.project.path, 'typings.d.ts');
  const before = await readFile(typings, 'utf8');
  assert.match(before, /shouted/);
  await writeFile(typings, '// emptied');
  const run = async (...parameters: string[]) => {
    const { stdout } = await execa(process.execPath, [bin, ...parameters, '--json'], { cwd: ready.project.path });
    return JSON.parse(stdout);
  };
  assert.equal((await run('update-typings')).hasChanged, true);
  assert.equal(await readFile(typings, 'utf8'), before);
  const pushed = await run('push', '--message', 'first');
  const { versions } = await run('versions');
  assert.equal(versions.length, 1);
  assert.equal(versions[0].digest, pushed.version.digest);
  assert.equal(versions[0].message, 'first');
  assert.match(versions[0].createdAt, /^\d{4}-\d\d-\d\dT/);
  assert.ok(versions[0].author.name.length > 0);
  report['version'] = { number: versions[0].number, digest: versions[0].digest };
}

async function stop(): Promise<void> {
  const children = await childrenOf(dev.child.pid ?? 0);
  const urls = [ready.agent.url, ready.sandbox.url, ready.mcp.url];
  const { exitCode, ms } = await dev.interrupt();
  assert.equal(exitCode, 130);
  assert.ok(ms < 1_000, `Stopping took ${ms} ms.`);
  for (const url of urls) await assert.rejects(fetch(url), `${url} still answers.`);
  await assert.rejects(access(path.join(ready.project.path, '.vendor-cloud/session.json')));
  for (const pid of children) assert.ok(await isGoneWithinASecond(pid), `The child process ${pid} still runs.`);
  report['stop'] = { exitCode, ms: Math.round(ms), children: children.length };
}

/** Processes started by a process, where the system tells; the bundler is one. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/** The system takes a moment to clear a process away; one that only waits for that is gone. */
async function isGoneWithinASecond(pid: number): Promise<boolean> {
  for (const start = performance.now(); performance.now() - start < 1_000; await delay(10)) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    if (stat === '' || stat.includes(') Z ')) return true;
  }
  return false;
}

async function save(text: string): Promise<void> {
  await writeFile(entry, text);
}

/** An address of a documentation network: no route means that nothing but loopback can be reached. */
async function assertOffline(): Promise<void> {
  const code = await new Promise<string>((resolve) => {
    const socket = connect({ host: '192.0.2.1', port: 443, timeout: 1_000 });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.on('connect', () => resolve('connected'));
    socket.on('timeout', () => resolve('timeout'));
  });
  assert.equal(code, 'ENETUNREACH');
  report['offline'] = true;
}
