import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startApprovalShop } from '../../helpers/approval-shop.ts';
import { activity } from '../../helpers/audit-api.ts';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('the log in the console', (openPage) => {
  it('says who did what, in words and with every filter in the address, and shows what comes while somebody reads', async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders/1');
    const edit = async (currency: string) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('currency').fill(currency);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('definition').getByText(currency, { exact: true }).waitFor();
    };
    await edit('CHF');
    await page.getByRole('link', { name: 'In the log' }).click();
    await page.waitForURL(/log\/activity\?collectionName=orders&recordId=1$/);
    const rows = page.getByRole('grid', { name: 'Activity' }).getByRole('row');
    const changed = rows.filter({ hasText: 'Changed' });
    // The agent reports an act when it is done, so that its row may be a newer one.
    await expect
      .poll(async () => {
        await page.keyboard.press('r');
        return changed.count();
      })
      .toBe(1);
    expect(await changed.first().textContent()).toMatch(/Test Developer.*Changed.*done.*orders.*1/);

    await changed.first().getByRole('link').first().click();
    const panel = page.getByRole('dialog', { name: 'Changed' });
    await panel.getByText('currency', { exact: true }).waitFor();
    await panel.getByText('Request id').waitFor();
    expect(await panel.getByRole('link', { name: 'orders 1' }).count()).toBe(1);
    await panel.getByRole('link', { name: 'The same request' }).click();
    await page.waitForURL(/correlationId=/);
    await expect.poll(() => panel.count()).toBe(0);
    await expect.poll(() => changed.count()).toBe(1);

    // Another page of the same person writes; the list waits for a key.
    const address = page.url();
    await goTo('log/activity?action=update');
    await changed.first().waitFor();
    const before = await changed.count();
    const other = await page.context().newPage();
    await other.goto(address.replace(/log\/.*$/, 'data/orders/2'));
    await other.getByRole('button', { name: 'Edit' }).click();
    await other.getByLabel('currency').fill('SEK');
    await other.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: '1 newer row' }).waitFor();
    expect(await changed.count()).toBe(before);
    await page.keyboard.press('r');
    await expect.poll(() => changed.count()).toBe(before + 1);
    await page.getByRole('button', { name: 'Follow live' }).click();
    await other.getByRole('button', { name: 'Edit' }).click();
    await other.getByLabel('currency').fill('NOK');
    await other.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => changed.count()).toBe(before + 2);

    await page.getByLabel('What', { exact: true }).selectOption({ label: 'Deleted' });
    await page.getByText('No row matches these filters').waitFor();
    expect(page.url()).toContain('action=delete');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await rows.nth(1).waitFor();
    // A text counts after a pause, and nothing covers the outcome in a small window.
    await page.getByLabel('Collection', { exact: true }).fill('nowhere');
    await page.waitForURL(/collectionName=nowhere/);
    await page.getByLabel('Collection', { exact: true }).fill('');
    await page.waitForURL((url) => !url.search.includes('collectionName'));
    await page.setViewportSize({ width: 1280, height: 800 });
    const outcome = await page.getByRole('columnheader', { name: 'Outcome' }).boundingBox();
    expect((outcome?.x ?? 0) + (outcome?.width ?? 0)).toBeLessThan(1280);
    // "refused or failed" is not cut.
    expect(outcome?.width).toBeGreaterThanOrEqual(150);
    await page.getByText('More filters').click();
    await page.getByLabel('Request id').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL(/charts/);
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('link', { name: 'Changes of the project' }).click();
    await page.getByRole('gridcell', { name: /^Sign-in key, / }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('scrolls to its first row with few rows in the page, and keeps their order while others come', {
    tags: 'long',
  }, async () => {
    const { shop, client } = await startApprovalShop();
    const report = (from: number, to: number) => {
      const ids = Array.from({ length: to - from }, (_, offset) => String(from + offset));
      return client.reportActivities(ids.map((id) => JSON.stringify(activity({ recordIds: [id] }))));
    };
    for (let from = 0; from < 250; from += 50) await report(from, from + 50);
    const { page, complaints } = await openPage();
    await page.goto(shop.sandbox.makeSignInLink(shop.access.userId).link);
    await page.waitForURL(/\/console\/development/);
    await page.goto(`${shop.sandbox.url}/console/development/log/activity?userEmail=ada%40example.test`);
    const grid = page.getByRole('grid', { name: 'Activity' });
    const record = (id: number) => grid.getByRole('gridcell', { name: String(id), exact: true });
    await record(249).waitFor();
    await page.getByText('More than 199 rows').waitFor();
    await report(250, 253);
    await page.getByRole('button', { name: '3 newer rows' }).waitFor();
    await grid.focus();
    for (const place of [50, 0]) {
      await page.keyboard.press('Control+End');
      await record(place).waitFor();
    }
    await page.getByText('250 rows', { exact: true }).waitFor();
    expect(await grid.getByRole('row').count()).toBeLessThan(60);
    await page.keyboard.press('r');
    await record(252).waitFor();
    await page.getByRole('button', { name: 'Oldest first' }).click();
    await record(0).waitFor();
    expect(page.url()).toContain('order=asc');
    expect(await page.getByRole('button', { name: 'Follow live' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Oldest first' }).click();
    await record(252).waitFor();

    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export: Activity' });
    await dialog.getByLabel('Format').selectOption({ label: 'JSON lines, for programs' });
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n');
    expect(lines.filter((line) => line.includes('"object":"activityLog"'))).toHaveLength(253);
    expect(lines.at(-1)).toContain('"object":"end"');
    expect(complaints).toEqual([]);
  });

  it('is neither offered nor shown to those who may not read it', { tags: 'long' }, async () => {
    const { shop, join } = await startApprovalShop();
    const bob = await join('Bob', 'Support');
    const { page, complaints } = await openPage();
    await page.goto(shop.sandbox.makeSignInLink(bob.id).link);
    await page.waitForURL(/\/console\/development/);
    await page.goto(`${shop.sandbox.url}/console/development/data/orders/2`);
    await page.getByRole('definition').first().waitFor();
    expect(await page.getByRole('link', { name: /^(?:Log|In the log)$/ }).count()).toBe(0);
    await page.goto(`${shop.sandbox.url}/console/development/log/activity`);
    await page.getByText('You may not read the log').waitFor();
    // The history of a record is for whoever may read the record.
    await page.goto(`${shop.sandbox.url}/console/development/data/orders/2`);
    const history = page.getByRole('region', { name: 'History' });
    await history.getByRole('button', { name: 'History' }).click();
    await expect.poll(() => history.getByRole('alert').count()).toBe(0);
    await history.getByText('Nobody has written this record since the log began.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is read while nobody reaches an agent', { tags: 'long' }, async () => {
    const { shop } = await startApprovalShop();
    const { page } = await openPage();
    await page.goto(shop.sandbox.makeSignInLink(shop.access.userId).link);
    await page.waitForURL(/\/console\/development/);
    await shop.agent.stop();
    await page.goto(`${shop.sandbox.url}/console/development/log/admin`);
    await page.getByRole('grid', { name: 'Changes of the project' }).getByRole('row').nth(1).waitFor();
    await page.goto(`${shop.sandbox.url}/console/development`);
    await page.getByRole('alert').waitFor();
  });
});
