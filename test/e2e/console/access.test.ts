import { expect, it, onTestFinished } from 'vitest';
import { createHttp } from '#node/http/http-client';
import { sha256Hex } from '#node/system/digest';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient } from '#platform-client/platform-client';
import { createSqlDataSource } from '../../../src/exports/agent.ts';
import { describeInChromium, type OpenPage } from '../../helpers/chromium.ts';
import { createEmbeddedShop, envSecret } from '../../helpers/embedded-agent.ts';

/** A shop with an MCP server, whose developer is an administrator. */
async function startShop() {
  let agentUrl: string | undefined;
  const shop = await createEmbeddedShop({}, { hasSignInLinks: true, reachAgent: () => agentUrl });
  shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountAiMcpServer({}).mountOnStandaloneServer(0);
  await shop.agent.start();
  agentUrl = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
  const { sandbox, access } = shop;
  const call = async (
    method: string,
    path: string,
    { body, as = access.userToken }: { body?: object; as?: string } = {},
  ) =>
    fetch(sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${as}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const client = createPlatformClient({ serverUrl: sandbox.url, http, credentials: { envSecret } });
  return { ...shop, call, client };
}

type Shop = Awaited<ReturnType<typeof startShop>>;

async function open(openPage: OpenPage, { sandbox, access }: Shop, part = '', personId = access.userId) {
  const { page, complaints } = await openPage();
  await page.goto(sandbox.makeSignInLink(personId).link);
  await page.waitForURL(/\/console\/development/);
  await page.goto(`${sandbox.url}/console/development/access/${part}`);
  await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
  return { page, complaints };
}

/** Somebody of the project who is not an administrator. */
async function joinBob({ sandbox, call }: Shop): Promise<number> {
  const user = { name: 'Bob', email: 'bob@example.test' };
  const { userId } = await sandbox.provisionDevelopment({ project: 'shop', envSecret, user });
  expect((await call('PATCH', `/api/people/${userId}`, { body: { level: 'user' } })).status).toBe(200);
  return userId;
}

describeInChromium('the access of programs in the console', (openPage) => {
  it('is given by tokens whose secret is shown once, and by what is set for the company', {
    tags: 'long',
  }, async () => {
    const shop = await startShop();
    const { page, complaints } = await open(openPage, shop);
    await page.getByText('No program has a token').waitFor();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Create a token' });
    await dialog.getByRole('textbox', { name: /^Name/ }).fill('siem');
    expect(await dialog.getByRole('button', { name: 'Create a token' }).isDisabled()).toBe(true);
    await dialog.getByRole('checkbox', { name: 'read activity' }).check();
    await dialog.getByRole('combobox', { name: 'How long it is valid' }).selectOption('7');
    await dialog.getByRole('button', { name: 'Create a token' }).click();
    const made = page.getByRole('dialog', { name: 'The secret of siem' });
    // Another Enter copies the secret, and does not close what shows it.
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Copy the secret');
    const secret = (await made.locator('output').textContent()) ?? '';
    expect(secret).toMatch(/^svc_test_[0-9A-Za-z]{38}$/);
    expect((await shop.call('GET', '/v1/rate-limit', { as: secret })).status).toBe(200);
    expect(page.url()).not.toContain(secret);
    await made.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row').filter({ hasText: 'siem' }).waitFor();
    // It was made for a week just now: that is not a reason for a warning.
    expect(await page.getByText('These tokens end within 14 days').count()).toBe(0);
    expect(await page.content()).not.toContain(secret);
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
    expect(kept).not.toContain(secret);

    // Each kind of token says what it opens, before somebody chooses it.
    await page.keyboard.press('n');
    await dialog.getByText('It reaches no record.').waitFor();
    await dialog.getByText('Without "clients" there, it may do all that you may.').waitFor();
    await dialog.getByText('Give it a name, and say what it may do.').waitFor();
    await dialog.getByRole('radio', { name: /^Records: a service account/ }).check();
    expect(await dialog.getByRole('checkbox').count()).toBe(0);
    await dialog.getByLabel('Name: as "clients" of the rights calls the program').fill('nightly-sync');
    await dialog.getByRole('button', { name: 'Create a token' }).click();
    await page
      .getByRole('dialog', { name: 'The secret of nightly-sync' })
      .getByRole('button', { name: 'Close' })
      .click();
    await page.getByRole('row').filter({ hasText: 'nightly-sync' }).getByText('work with records').waitFor();

    await page.getByRole('button', { name: 'Revoke siem' }).click();
    await page.getByRole('dialog', { name: 'Revoke siem' }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('1 ended token').waitFor();
    expect((await shop.call('GET', '/v1/rate-limit', { as: secret })).status).toBe(401);

    expect((await shop.call('PUT', '/api/groups/staff', { body: { teams: ['Operations'] } })).status).toBe(200);
    await page.getByRole('link', { name: 'Company sign-on' }).click();
    await page.getByText('Nobody signs in with a company account').waitFor();
    await page.getByRole('row', { name: /staff/ }).getByText('Operations').waitFor();
    await page.getByText(`${shop.sandbox.url}/scim/v2`).waitFor();
    expect(complaints).toEqual([]);
  });

  it('is out of sight for people who may not manage it, except for their own sessions', { tags: 'long' }, async () => {
    const shop = await startShop();
    const { page } = await open(openPage, shop, '', await joinBob(shop));
    await page.getByText('this browser').waitFor();
    expect(await page.getByRole('button', { name: 'Create a token' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Company sign-on' }).count()).toBe(0);
    await page.goto(`${shop.sandbox.url}/console/development/access/sign-on`);
    await page.getByText('There is nothing at this address').waitFor();
    await page.getByRole('link', { name: 'Go to the start of the console' }).waitFor();
  });

  it('is narrowed and ended for an MCP client, and shows the mark on what that has read', {
    tags: 'long',
  }, async () => {
    const shop = await startShop();
    const { client, access } = shop;
    const clientId = 'claude-1';
    const payload = { client_name: 'Claude Code', redirect_uris: ['http://127.0.0.1/callback'] };
    await client.mcpState.save({ kind: 'Client', id: sha256Hex(clientId) }, { payload, expiresInSeconds: 3600 });
    await client.mcpState.save(
      { kind: 'Grant', id: sha256Hex('grant') },
      {
        payload: { clientId, resources: { 'http://127.0.0.1/mcp': 'mcp:read mcp:write' } },
        expiresInSeconds: 3600,
        personId: access.userId,
        clientId: sha256Hex(clientId),
      },
    );
    const reads = [{ collection: 'tickets', recordId: '7', field: 'body' }];
    const session = { personId: access.userId, client: clientId };
    await client.mcpMarks.give({ ...session, records: 1, reads, readCount: 1 });
    const { page, complaints } = await open(openPage, shop, 'clients');
    await page.getByText('Has read text of people outside').first().waitFor();
    expect(await page.locator('main [aria-current=page]').allTextContents()).toEqual(['MCP clients']);
    await page.getByRole('button', { name: 'Claude Code' }).click();
    const dialog = page.getByRole('dialog', { name: 'Claude Code' });
    await dialog.getByText('tickets 7: body').waitFor();
    await dialog.getByText('None is in the log.').waitFor();
    expect(await dialog.getByRole('link', { name: 'All its calls in the log' }).getAttribute('href')).toContain(
      'client=claude-1',
    );

    await dialog.getByRole('button', { name: 'Change what it may do' }).click();
    const form = page.getByRole('dialog', { name: 'Change what it may do' });
    await form.getByRole('checkbox', { name: 'It only reads' }).check();
    await form.getByRole('checkbox', { name: 'All that its person may use' }).uncheck();
    await form.getByRole('checkbox', { name: 'orders', exact: true }).check();
    await form.getByRole('spinbutton', { name: /^Records a call/ }).fill('50');
    await form.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('It may read "orders"').waitFor();
    await dialog.getByText('It may use 50 records a call').waitFor();

    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await page
      .getByRole('dialog', { name: 'Disconnect Claude Code' })
      .getByRole('button', { name: 'Disconnect' })
      .click();
    await page.getByText('No program is connected to the MCP server of development').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is tried in the playground with the rights of the person, and what writes asks first', {
    tags: 'long',
  }, async () => {
    const { page, complaints } = await open(openPage, await startShop(), 'playground');
    const tool = page.getByRole('combobox', { name: 'Tool', exact: true });
    await tool.selectOption({ label: 'list · reads' });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('collectionName is missing').waitFor();
    await page.getByRole('textbox', { name: /^collectionName/ }).fill('orders');
    await page.getByRole('textbox', { name: /^pagination/ }).fill('{"size": "2"}');
    await page.getByText('pagination.size has to be: integer').waitFor();
    await page.getByRole('textbox', { name: /^pagination/ }).fill('{"size": 2}');
    // The second click comes before the page is drawn again.
    await page.getByRole('button', { name: 'Run', exact: true }).dblclick();
    await page.locator('pre').first().getByText('"hasMore"').waitFor();

    await tool.selectOption({ label: 'delete · changes records' });
    await page.getByRole('button', { name: 'Arguments as JSON' }).click();
    await page.getByRole('textbox', { name: 'Arguments as JSON' }).fill('{"collectionName":"orders","recordIds":[2]}');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('dialog', { name: 'Run delete' }).getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Confirm and run' }).click();
    await page.locator('pre').first().getByText('"deletedCount": 1').waitFor();

    await tool.selectOption({ label: 'list · reads' });
    await page.getByRole('textbox', { name: /^collectionName/ }).fill('nothing');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('There is no collection "nothing".').waitFor();
    expect(await page.getByRole('region', { name: 'Calls of this page' }).getByRole('listitem').count()).toBe(4);
    expect(complaints).toEqual([]);
  });
});
