import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { CreatedInvitation } from '#contracts/people';
import { describeInChromium } from '../helpers/chromium.ts';
import type { DevProcess } from '../helpers/dev-process.ts';
import { eventually } from '../helpers/eventually.ts';
import { loadOnAgents } from '../helpers/load-on-agents.ts';
import { usePostgresServer } from '../helpers/postgres-server.ts';
import { codeOfRevision } from '../helpers/revision-code.ts';
import { sessionTokenFor } from '../helpers/session-token.ts';
import { startTeam, type Team } from '../helpers/team-of-processes.ts';

const server = usePostgresServer();
const swaps = 5;
const password = 'correct horse battery';

async function startTeamOnPostgres(): Promise<Team> {
  const { host, port, user, password } = server.parameters();
  const database = await server.createDatabase();
  return startTeam(`postgres://${user}:${encodeURIComponent(String(password))}@${host}:${port}/${database}`);
}

async function originOf(host: DevProcess): Promise<string> {
  return new URL(String((await host.next('serving'))['url'])).origin;
}

it('a team pushes to two hosts behind a balancer, restricts a role, and survives broken code and a killed platform', {
  tags: 'long',
}, async () => {
  const team = await startTeamOnPostgres();
  const { balancer, hosts, root, run, url, user } = team;
  const write = (code: string) => writeFile(path.join(root, 'src/index.ts'), code);
  await write(codeOfRevision('r0'));
  const pushed = await run('push', '--message', 'r0');
  expect(JSON.parse(pushed.stdout)).toMatchObject({ environment: 'production', deployment: { state: 'live' } });
  const origins = await Promise.all(hosts.map(originOf));
  balancer.use(origins);
  const agent = `${balancer.origin}/service`;
  const claims = { id: user.id, renderingId: team.renderingOf('production') };
  const token = await sessionTokenFor({ platformUrl: url, envSecret: team.secretOf('production') }, claims);
  /** Over a connection of its own, so that the hosts answer in turn. */
  const statusOf = async (collection: string) => {
    const headers = { authorization: `Bearer ${token}`, connection: 'close' };
    return (await fetch(`${agent}/${collection}?timezone=UTC&page[size]=1`, { headers })).status;
  };
  const statusesOf = async (collection: string) => [await statusOf(collection), await statusOf(collection)];
  expect(await statusesOf('orders')).toEqual([200, 200]);

  const rights = { roles: { Administrators: { collections: { customers: { browse: true, read: true } } } } };
  await writeFile(path.join(root, 'permissions.json'), JSON.stringify(rights));
  expect((await run('permissions', 'diff')).exitCode).toBe(1);
  expect(await run('permissions', 'apply', '--yes')).toMatchObject({ exitCode: 0 });
  await eventually(async () => expect(await statusesOf('orders')).toEqual([403, 403]));
  expect(await statusesOf('customers')).toEqual([200, 200]);
  expect((await run('permissions', 'diff')).exitCode).toBe(0);

  await write("export default () => { throw new Error('broken on purpose'); };");
  const broken = await run('push', '--message', 'broken');
  expect(broken.exitCode).toBe(1);
  expect(broken.stdout).toContain('broken on purpose');
  expect(await statusesOf('customers')).toEqual([200, 200]);

  const ending = new AbortController();
  const load = loadOnAgents({ agents: [agent], token }, ending.signal);
  for (let revision = 1; revision <= swaps; revision++) await team.push(codeOfRevision(`r${revision}`), `r${revision}`);
  const rolledBack = await run('rollback', '--yes');
  ending.abort();
  const { asked, failed, revisions } = await load;
  expect(failed).toBe(0);
  expect(asked).toBeGreaterThan(100 * swaps);
  expect([...revisions]).toEqual(Array.from({ length: swaps + 1 }, (_, revision) => `r${revision}`));
  expect(origins.map((origin) => balancer.connections.get(origin) ?? 0).every((count) => count > 1)).toBe(true);
  // The broken code never became a version.
  expect(JSON.parse(rolledBack.stdout)).toMatchObject({ deployment: { version: swaps, state: 'live' } });

  team.platform.child.kill('SIGKILL');
  await once(team.platform.child, 'exit');
  expect(await statusesOf('customers')).toEqual([200, 200]);
  const [, second] = hosts;
  await second.interrupt();
  expect(await statusesOf('customers')).toEqual([200, 200]);
  const again = team.startHost(1, new URL(origins[1] ?? '').host);
  await again.next('platform-away');
  await again.next('serving');
  expect(await statusesOf('customers')).toEqual([200, 200]);
  team.startPlatform();
  await again.next('platform-back');
  expect((await run('versions')).exitCode).toBe(0);
});

describeInChromium('a person in a browser', (openPage) => {
  it('joins, signs in at the hosts and at an application, and sees what the role may see', {
    tags: 'long',
  }, async () => {
    const team = await startTeamOnPostgres();
    const { balancer, hosts, root, run, call } = team;
    expect(await run('push', '--message', 'first')).toMatchObject({ exitCode: 0 });
    balancer.use(await Promise.all(hosts.map(originOf)));
    const application = await team.startApplication('staging');
    const addresses = { production: balancer.origin, staging: application };
    const Administrators = { collections: { '*': { browse: true } } };
    const rights = { roles: { Administrators, Support: { collections: { orders: { browse: true, read: true } } } } };
    await writeFile(path.join(root, 'permissions.json'), JSON.stringify(rights));
    for (const [environment, origin] of Object.entries(addresses)) {
      await call('PATCH', `/api/environments/${environment}`, { agentAddresses: [`${origin}/service`] });
      const applied = await run('permissions', 'apply', '--yes', '--env', environment);
      expect(applied, applied.stdout).toMatchObject({ exitCode: 0 });
    }
    const invitation = { email: 'bob@example.test', level: 'user', role: 'Support' };
    const { link } = (await call('POST', '/api/invitations', invitation)) as CreatedInvitation;

    const { page, complaints } = await openPage();
    await page.goto(link);
    await page.getByLabel('First name').fill('Bob');
    await page.getByLabel('Last name').fill('Example');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'You have joined' }).waitFor();

    await beginToSignIn(page, balancer.origin, team.renderingOf('production'));
    await page.getByLabel('E-mail').fill('bob@example.test');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    expect(await statusesIn(page)).toEqual({ orders: 200, payments: 403 });

    await beginToSignIn(page, application, team.renderingOf('staging'));
    await page.getByText('The environment staging of shop').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await statusesIn(page)).toEqual({ orders: 200, payments: 403 });
    expect(complaints).toEqual([]);
  });
});

/** As a client does: it asks the agent of its origin, and sends the browser where it says. */
async function beginToSignIn(page: Page, origin: string, renderingId: number): Promise<void> {
  await page.goto(`${origin}/service/`);
  const authorizationUrl = await page.evaluate(async (id) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ renderingId: id });
    const answer = await fetch('/service/authentication', { method: 'POST', headers, body });
    return ((await answer.json()) as { authorizationUrl: string }).authorizationUrl;
  }, renderingId);
  await page.goto(authorizationUrl);
}

/** What the agent answers to somebody who has just come back to it. */
async function statusesIn(page: Page): Promise<Record<string, number>> {
  await page.waitForURL('**/service/authentication/callback?*');
  const { token } = JSON.parse(await page.locator('body').innerText()) as { readonly token: string };
  return page.evaluate(async (bearer) => {
    const statusOf = async (collection: string) =>
      (await fetch(`/service/${collection}?timezone=UTC`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    return { orders: await statusOf('orders'), payments: await statusOf('payments') };
  }, token);
}
