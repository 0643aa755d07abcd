import { createHmac } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';
import { startSandbox } from '#sandbox/index';
import { type AgentOptions, createAgent, createSqlDataSource, type EmbeddedAgent } from '../../src/exports/agent.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { call } from '../helpers/rest-call.ts';
import { createShopFile, identity } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const envSecret = 'c'.repeat(64);
const authSecret = 'the auth secret of an agent without code';
const update = (name: string) => ({
  name,
  type: 'action',
  modelName: 'orders',
  configuration: {
    scope: 'Bulk',
    type: 'update-record',
    configuration: { fields: [{ fieldName: 'status', value: 'paid' }] },
  },
});
const webhook = (url: string) => ({
  name: 'Tell',
  type: 'action',
  modelName: 'lines',
  configuration: { scope: 'single', type: 'webhook', configuration: { url } },
});

/** A platform made for tests, on which somebody has customized, and an agent of the shop. */
async function startShop(
  customizations: readonly unknown[],
  experimental: AgentOptions['experimental'],
  more: Partial<AgentOptions> = {},
  customize: (agent: EmbeddedAgent) => void = () => undefined,
) {
  const folder = await temporaryFolder();
  const sandbox = await startSandbox({
    store: { dialect: 'sqlite', storage: path.join(folder, 'store.sqlite') },
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    isForTests: true,
  });
  onTestFinished(() => sandbox.stop());
  const save = (list: readonly unknown[]) =>
    fetch(`${sandbox.url}/model-customizations`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'service-secret-key': envSecret },
      body: JSON.stringify(list),
    });
  await save(customizations);
  const warnings: string[] = [];
  const agent = createAgent({
    authSecret,
    envSecret,
    serverUrl: sandbox.url,
    schemaPath: path.join(folder, '.service-schema.json'),
    logger: (level, message) => {
      if (level === 'Warn') warnings.push(message);
    },
    ...(experimental ? { experimental } : {}),
    ...more,
  })
    .addDataSource(createSqlDataSource(await createShopFile(folder)))
    .mountOnStandaloneServer(0);
  onTestFinished(() => agent.stop());
  customize(agent);
  await agent.start();
  const token = await createSessionTokens(authSecret, systemClock, () => false).issue(identity);
  const rest = { agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}/service`, token };
  const run = (target: string, ids: readonly string[]) =>
    call(rest, `/_actions/${target}`, { method: 'POST', body: { data: { attributes: { ids, values: {} } } } });
  const uploaded = async () => {
    const store = await openSqlite(path.join(folder, 'store.sqlite'));
    const [row] = store.all('select document from schemas');
    store.close();
    return String(row?.['document']);
  };
  return { rest, run, save, warnings, uploaded };
}

/** Somebody's server that is called. */
async function startReceiver() {
  const calls: { readonly body: string; readonly signature: unknown }[] = [];
  const { origin, close } = await startHttpServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    calls.push({ body, signature: request.headers['x-service-signature'] });
    response.writeHead(request.url === '/broken' ? 500 : 204).end();
  });
  return { calls, close, origin };
}

describe('actions that were made on the platform', () => {
  it('write values into the selected records', async () => {
    const { rest, run } = await startShop([update('Mark as paid')], { updateRecordCustomActions: true });
    const { status, json } = await run('orders/0/mark-as-paid', ['2', '3']);
    expect([status, json]).toMatchObject([200, { success: 'The records were updated.' }]);
    expect((await call(rest, '/orders/count?segment=&search=paid')).json).toEqual({ count: 4 });
  });

  it('call an address with the keys of the selected records, signed', async () => {
    const { calls, origin } = await startReceiver();
    const { run } = await startShop([webhook(`${origin}/hook`)], {
      webhookCustomActions: { allowedOrigins: [origin], secret: 'shared' },
    });
    expect((await run('lines/0/tell', ['4|ab'])).status).toBe(200);
    const body = JSON.stringify({ action: { name: 'Tell', scope: 'Single' }, record: { order_id: 4, sku: 'ab' } });
    const signature = createHmac('sha256', 'shared').update(body).digest('hex');
    expect(calls).toEqual([{ body, signature: `sha256=${signature}` }]);
  });

  it('call no address that is not allowed, and say when one answers with an error', async () => {
    const { calls, origin } = await startReceiver();
    const elsewhere = { ...webhook('http://169.254.169.254/latest'), name: 'Elsewhere' };
    const { run } = await startShop([elsewhere, { ...webhook(`${origin}/broken`), name: 'Broken' }], {
      webhookCustomActions: { allowedOrigins: [origin] },
    });
    const refused = await run('lines/0/elsewhere', ['4|ab']);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('does not call')]);
    expect(calls).toEqual([]);
    const broken = await run('lines/1/broken', ['4|ab']);
    expect([broken.status, broken.text]).toEqual([422, expect.stringContaining('status 500')]);
  });

  it('say when nobody is at an address, which may be written with a path', async () => {
    const free = await startReceiver();
    await free.close();
    const { run } = await startShop([webhook(`${free.origin}/hook`)], {
      webhookCustomActions: { allowedOrigins: [`${free.origin}/`] },
    });
    const { status, text } = await run('lines/0/tell', ['4|ab']);
    expect([status, text]).toEqual([422, expect.stringContaining('did not answer')]);
  });

  it('are used only by agents that ask for them, and unknown ones are left out with a warning', async () => {
    const strange = [{ type: 'workflow' }, { ...update('Lost'), modelName: 'nowhere' }, 12];
    const { run, warnings } = await startShop([...strange, update('Mark as paid')], {
      updateRecordCustomActions: true,
    });
    expect(warnings.filter((warning) => warning.includes('left out'))).toHaveLength(3);
    expect((await run('orders/0/mark-as-paid', ['2'])).status).toBe(200);
    const other = await startShop([update('Mark as paid')], undefined);
    expect((await other.run('orders/0/mark-as-paid', ['2'])).status).toBe(404);
  });

  it('give way to the actions of the code and to one another, by name and by address', async () => {
    const names = ['Ship', 'Mark as paid', 'Mark as paid', 'mark as PAID'];
    const { run, warnings } = await startShop(
      names.map(update),
      { updateRecordCustomActions: true },
      { useUnsafeActionEndpoint: true },
      (agent) =>
        agent.customizeCollection('orders', (orders) =>
          orders.addAction('Ship', { scope: 'Bulk', execute: (_context, result) => result.success('Shipped.') }),
        ),
    );
    expect((await run('orders/ship', ['2'])).json).toMatchObject({ success: 'Shipped.' });
    expect((await run('orders/mark-as-paid', ['2'])).json).toMatchObject({ success: 'The records were updated.' });
    expect(warnings.filter((warning) => warning.includes('left out'))).toEqual(
      ['Ship', 'Mark as paid', 'mark as PAID'].map(
        (name) => `An action of the platform was left out: "orders" has an action "${name}" already.`,
      ),
    );
  });

  it('are reported to the platform in production too, where the schema of the code is read from its file', async () => {
    const { uploaded } = await startShop(
      [update('Mark as paid')],
      { updateRecordCustomActions: true },
      { isProduction: true },
    );
    await expect.poll(uploaded).toContain('Mark as paid');
  });

  it('are there as soon as they are made', async () => {
    const { run, save } = await startShop([], { updateRecordCustomActions: true });
    expect((await run('orders/0/mark-as-paid', ['2'])).status).toBe(404);
    await save([update('Mark as paid')]);
    await expect.poll(async () => (await run('orders/0/mark-as-paid', ['2'])).status).toBe(200);
  });
});
