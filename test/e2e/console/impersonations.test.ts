import { expect, it } from 'vitest';
import { document, startApprovalShop } from '../../helpers/approval-shop.ts';
import { describeInChromium } from '../../helpers/chromium.ts';

const { orders } = document.roles.Support.collections;
/** Support may edit orders, and sees no totals. */
const rights = {
  roles: {
    ...document.roles,
    Support: { collections: { orders: { ...orders, edit: true, fields: { total: false } } } },
  },
};

describeInChromium('the console as somebody else sees it', (openPage) => {
  it('has a frame, shows what the person sees, writes nothing, and is left from any screen', {
    tags: 'long',
  }, async () => {
    const started = await startApprovalShop();
    await started.setRights(rights);
    await started.join('Bob', 'Support');
    const { sandbox, access } = started.shop;
    const { page, complaints } = await openPage();
    await page.goto(sandbox.makeSignInLink(access.userId).link);
    await page.getByRole('columnheader', { name: /^total/i }).waitFor();
    await page.goto(`${sandbox.url}/console/development/people`);
    await page
      .getByRole('row', { name: /ada@example\.test/ })
      .getByRole('button')
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).waitFor();
    expect(await page.getByRole('button', { name: /^See the console as/ }).count()).toBe(0);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Bob' }).click();
    await page.getByRole('button', { name: 'See the console as Bob' }).click();
    const frame = page.getByRole('status').filter({ hasText: 'You see the console as Bob' });
    await frame.getByText(/^Nothing is written, and the log names you\. It lasts until .+\d:\d\d.*\.$/).waitFor();
    await page.getByRole('columnheader', { name: /^status/i }).waitFor();
    expect(await page.getByRole('columnheader', { name: /^total/i }).count()).toBe(0);
    for (const name of ['People', 'Rights', 'Log', 'Access']) {
      expect([name, await page.getByRole('link', { name, exact: true }).count()]).toEqual([name, 0]);
    }
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);

    await page.goto(`${sandbox.url}/console/development/data/orders/1`);
    await frame.waitFor();
    // Nothing is written here, so nothing offers to.
    await page.getByRole('button', { name: 'What may I do here?' }).click();
    const why = page.getByRole('dialog', { name: 'The rights of Bob on orders' });
    await why.getByText('You only see what Bob sees').waitFor();
    await why.getByText('Nothing is written meanwhile, whatever these rights say.').waitFor();
    expect(await why.getByRole('row', { name: /^Edit/ }).getByRole('cell').first().textContent()).toBe('yes');
    await why.getByRole('button', { name: 'Close' }).click();
    expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);

    // Another tab of the same browser is one's own.
    const own = await page.context().newPage();
    await own.goto(`${sandbox.url}/console/development/data/orders`);
    await own.getByRole('columnheader', { name: /^total/i }).waitFor();
    expect(await own.getByText('You see the console as Bob').count()).toBe(0);

    await page.goto(`${sandbox.url}/console/development/data/orders/1`);
    await page.getByRole('region', { name: 'Notes' }).getByRole('button', { name: 'Notes' }).click();
    await page.getByText('There is no note on this record.').waitFor();
    for (const name of ['Edit', 'New', 'New note', 'Delete', /^Actions/]) {
      expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
    }

    page.on('dialog', (dialog) => void dialog.accept());
    started.pass(61 * 60_000);
    await page.reload();
    await page.getByRole('columnheader', { name: /^total/i }).waitFor();
    expect(await frame.count()).toBe(0);
    await page.goto(`${sandbox.url}/console/development/people`);
    await page.getByRole('button', { name: 'Bob' }).click();
    await page.getByRole('button', { name: 'See the console as Bob' }).click();
    await frame.waitFor();
    await frame.getByRole('button', { name: 'Back to my own view' }).click();
    await page.getByRole('columnheader', { name: /^total/i }).waitFor();
    expect(await frame.count()).toBe(0);
  });
});
