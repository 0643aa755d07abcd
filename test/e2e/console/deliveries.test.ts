import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Beat } from '#contracts/hosting';
import { startApprovalShop } from '../../helpers/approval-shop.ts';
import { describeInChromium, type OpenPage } from '../../helpers/chromium.ts';
import { deliver, deliverTwice } from '../../helpers/delivered-versions.ts';
import { envSecret } from '../../helpers/embedded-agent.ts';

/** A shop with two versions, of which the second is live. */
async function startDeliveries() {
  const started = await startApprovalShop({ platformKey: 'a'.repeat(64) });
  const { client, shop } = started;
  await deliverTwice(client);
  const host = (name: string) => {
    const id = randomUUID();
    return {
      beat: async (serving: number | null, more: Partial<Beat> = {}) => {
        const beat: Beat = { host: id, name, workers: 2, serving, checked: null, refused: null, log: [], ...more };
        const { status } = await fetch(`${shop.sandbox.url}/host/v1/beats`, {
          method: 'POST',
          headers: { 'service-secret-key': envSecret, 'content-type': 'application/json' },
          body: JSON.stringify(beat),
        });
        expect(status).toBe(200);
      },
    };
  };
  return { ...started, host };
}

async function consoleOf(
  openPage: OpenPage,
  { shop }: Awaited<ReturnType<typeof startApprovalShop>>,
  personId: number,
) {
  const { page, complaints } = await openPage();
  await page.goto(shop.sandbox.makeSignInLink(personId).link);
  await page.waitForURL(/\/console\/development/);
  return { page, complaints };
}

describeInChromium('deliveries in the console', (openPage) => {
  it('offer no way back from the first version that serves, and say why', { tags: 'long' }, async () => {
    const started = await startApprovalShop({ platformKey: 'a'.repeat(64) });
    await deliver(started.client, { message: 'The first', typeOfTotal: 'Number' });
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.goto(new URL('/console/development/deliveries/versions', page.url()).href);
    await page.getByText('No earlier deployment has served here.').waitFor();
    expect(await page.getByRole('button', { name: 'Roll back' }).isDisabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('show what each version changed, and go back with a look at what that undoes', { tags: 'long' }, async () => {
    const started = await startDeliveries();
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.getByText('A-1', { exact: true }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    const row = (note: string) => page.getByRole('row').filter({ hasText: note });
    await row('Exact totals').getByText('live', { exact: true }).waitFor();
    await row('Totals as texts').getByText('served earlier').waitFor();

    await page.getByRole('button', { name: 'Version 2' }).click();
    const panel = page.getByRole('dialog', { name: 'Version 2' });
    await panel.getByText('field total of orders: type: String → Number').waitFor();
    await panel.getByText('(may break others)').waitFor();
    await panel.getByText(/Version 2 is live/).waitFor();
    expect(page.url()).toMatch(/deliveries\/versions\/2$/);
    await page.keyboard.press('Escape');

    // A host is there now, so that going back waits for it.
    const berlin = started.host('berlin-1');
    await berlin.beat(2);
    await page.getByRole('button', { name: 'Roll back' }).click();
    const dialog = page.getByRole('dialog', { name: 'Roll back to version 1' });
    await dialog.getByText('field total of orders: type: Number → String').waitFor();
    await dialog.getByText('Some changes may break what others rely on').waitFor();
    await dialog.getByText('The variables become those of revision 0 again.').waitFor();
    await dialog.getByRole('button', { name: 'Roll back' }).click();
    await dialog.getByText('Version 1 is on its way').waitFor();
    await berlin.beat(3);
    await dialog.getByText('Version 1 is live', { exact: true }).waitFor();
    await dialog.getByText('Version 1 is live on one host.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await row('Totals as texts').getByText('live', { exact: true }).waitFor();
    await row('Exact totals').getByText('served earlier').waitFor();
    expect((await started.client.listDeployments()).deployments[0]).toMatchObject({
      number: 3,
      version: 1,
      state: 'live',
    });
    expect(complaints).toEqual([]);
  });

  it('show what hosts say beside what the platform sees, their log, and variables whose values nobody reads', {
    tags: 'long',
  }, async () => {
    const started = await startDeliveries();
    const at = new Date().toISOString();
    const [berlin, munich] = [started.host('berlin-1'), started.host('munich-1')];
    const log = (['Info', 'Error'] as const).map((level) => ({ at, level, text: `Refund ${level}` }));
    await berlin.beat(2, { log });
    await munich.beat(99, { refused: { deployment: 1, reason: 'no database' } });
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    const open = (part: string) => page.goto(`${started.shop.sandbox.url}/console/development/deliveries/${part}`);
    await open('hosts');
    const host = (name: string) => page.getByRole('row').filter({ hasText: name });
    await host('berlin-1').getByText('version 2, deployment 2').waitFor();
    await host('berlin-1').getByText('It serves what it should.').waitFor();
    await host('munich-1').getByText('deployment 99').waitFor();
    await host('munich-1').getByText('No host was ever asked to serve that deployment.').waitFor();
    await host('munich-1').getByText('no database').waitFor();

    await page.getByRole('link', { name: 'Log of the hosts' }).click();
    const lines = page.getByRole('list', { name: 'Log of the hosts' }).getByRole('listitem');
    await expect.poll(() => lines.count()).toBe(2);
    await page.getByRole('combobox', { name: 'Least important level' }).selectOption('Error');
    await expect.poll(() => lines.allTextContents()).toEqual([expect.stringContaining('Refund Error')]);
    await page.getByRole('searchbox', { name: 'Find a text in the log' }).fill('payment');
    await page.getByText('No line matches').waitFor();
    expect(page.url()).toContain('level=Error&grep=payment');
    await berlin.beat(2, { log: [{ at, level: 'Error', text: 'PAYMENT lost' }] });
    await lines.filter({ hasText: 'PAYMENT lost' }).waitFor();

    await page.getByRole('link', { name: 'Variables' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('DATABASE_URL');
    await page.getByRole('textbox', { name: 'Value' }).fill('postgres://hunter2');
    await page.getByRole('button', { name: 'Set the variable' }).click();
    const variable = page.getByRole('row', { name: /DATABASE_URL/ });
    await variable.waitFor();
    await page.getByText(/Revision 1\. Ada changed them/).waitFor();
    await page.getByText('Revision 1 is not deployed: what is live uses revision 0.').waitFor();
    expect(await page.content()).not.toContain('hunter2');
    expect(page.url()).not.toContain('hunter2');
    await page.getByRole('button', { name: 'Remove DATABASE_URL' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await variable.waitFor({ state: 'hidden' });
    expect(await started.client.variables()).toMatchObject({ revision: 2, names: [] });
    expect(complaints).toEqual([]);
  });

  it('promote a version to another environment, and are out of sight for everybody else', {
    tags: 'long',
  }, async () => {
    const started = await startDeliveries();
    const { shop, client } = started;
    const authorization = `Bearer ${shop.access.userToken}`;
    await fetch(`${shop.sandbox.url}/api/environments`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'production', type: 'production' }),
    });
    const { page } = await consoleOf(openPage, started, shop.access.userId);
    await page.goto(`${shop.sandbox.url}/console/development/deliveries/versions/2`);
    await page.getByRole('button', { name: 'Promote' }).click();
    const dialog = page.getByRole('dialog', { name: 'Promote version 2' });
    await dialog.getByText('collection orders', { exact: true }).waitFor();
    await dialog.getByText('The variables are the newest ones of production.').waitFor();
    await dialog.getByRole('button', { name: 'Promote' }).click();
    await dialog.getByText('Version 2 is live', { exact: true }).waitFor();
    expect(await client.listDeployments()).toMatchObject({ live: 2 });

    const bob = await started.join('Bob', 'Support');
    const other = await consoleOf(openPage, started, bob.id);
    await other.page.getByText('A-1', { exact: true }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Deliveries' }).count()).toBe(0);
    await other.page.goto(`${shop.sandbox.url}/console/development/deliveries/versions`);
    await other.page.getByText('You may not see what is deployed').waitFor();
  });
});
