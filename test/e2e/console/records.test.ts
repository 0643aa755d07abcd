import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject, createProjectWith } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

describeInChromium('records of the console', (openPage) => {
  it('are read, changed in the form and in the cell, and the change is undone', async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders/1');
    await page.getByRole('definition').getByText('326.50', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.keyboard.press('e');
    // By keyboard only: the focus is where one goes on.
    const focused = () => page.evaluate('document.activeElement.id + document.activeElement.textContent');
    await expect.poll(focused).toMatch(/reference$/);
    await page.getByLabel('total').fill('9007199254.25');
    await page.getByText('1 field changed').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('definition').getByText('9007199254.25', { exact: true }).waitFor();
    await expect.poll(focused).toBe('Edit');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('definition').getByText('326.50', { exact: true }).waitFor();

    await goTo('data/orders');
    await page.getByRole('gridcell', { name: '2024-000002' }).click();
    await page.keyboard.press('F2');
    const input = page.getByRole('textbox', { name: 'reference' });
    await input.fill('2024-changed');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: '2024-changed' }).waitFor();
    await expect.poll(() => input.count()).toBe(0);
    await page.keyboard.press('F2');
    await input.fill('never');
    await page.keyboard.press('Escape');
    await page.getByRole('gridcell', { name: '2024-changed' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(focused).toMatch(/^orders/);
    await page.goBack();
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('orders');
    await page.getByRole('grid', { name: 'orders' }).getByRole('gridcell', { name: '2024-changed' }).waitFor();
    await page.keyboard.press('n');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    expect(complaints).toEqual([]);
  });

  it('show what they held before, and a change is taken back', { tags: 'long' }, async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders/1');
    await page.getByRole('button', { name: 'Edit' }).click();
    // Nothing moves to where the button was.
    await expect.poll(() => page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await page.getByLabel('currency').fill('CHF');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('CHF', { exact: true }).waitFor();
    const panel = page.getByRole('region', { name: 'History' });
    const toggle = panel.getByRole('button', { name: 'History' });
    await toggle.click();
    await panel.getByRole('row', { name: 'currency USD CHF' }).waitFor();
    await panel.getByRole('button', { name: 'The record then' }).click();
    await panel.getByRole('definition').getByText('CHF', { exact: true }).waitFor();
    await panel.getByRole('button', { name: 'Undo' }).click();
    await panel.getByRole('button', { name: 'Take it back now' }).click();
    await page.getByRole('definition').getByText('USD', { exact: true }).first().waitFor();
    // Taking back is a write of its own, which can be taken back too.
    await panel.getByRole('row', { name: 'currency CHF USD' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('show what somebody else has written meanwhile, and lose nothing', async () => {
    const session = await startDevSession();
    const first = await openConsole(openPage, session);
    const second = await openConsole(openPage, session);
    for (const { page, goTo } of [first, second]) {
      await goTo('data/customers/1');
      await page.getByRole('button', { name: 'Edit' }).click();
    }
    await first.page.getByLabel('email').fill('first@example.test');
    await first.page.getByRole('button', { name: 'Save' }).click();
    await first.page.getByRole('definition').getByText('first@example.test').waitFor();
    // A toast that somebody points at stays.
    await first.page.getByRole('button', { name: 'Undo' }).hover();

    await second.page.getByLabel('email').fill('second@example.test');
    await second.page.getByRole('button', { name: 'Save' }).click();
    const conflict = second.page.getByRole('dialog', { name: 'Somebody else has changed this record' });
    await conflict.getByText('first@example.test').waitFor();
    await conflict.getByText('second@example.test').waitFor();
    await conflict.getByRole('button', { name: 'Apply' }).click();
    await second.page.getByRole('button', { name: 'Save' }).click();
    await second.page.getByRole('definition').getByText('second@example.test').waitFor();

    // Case 48: what was done cannot be taken back over the newer value, and both are said.
    await first.page.getByRole('button', { name: 'Undo' }).click();
    await first.page
      .getByText('email was first@example.test after your change and is second@example.test now.')
      .waitFor();
    await first.page.getByRole('definition').getByText('second@example.test').waitFor();
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });

  it('name every field that is refused (case 34), say a refusal above the form (cases 35 and 37), and keep what was typed', {
    tags: 'long',
  }, async () => {
    const root = await createProjectWith();
    const rights = { browse: true, read: true, edit: true };
    const permit = (orders: object) => {
      const roles = { clerk: { collections: { orders, customers: rights } } };
      return writeFile(path.join(root, 'permissions.json'), JSON.stringify({ roles }));
    };
    await permit(rights);
    await writeFile(
      path.join(root, 'src/index.ts'),
      `import type { Agent } from '@vendor/cloud';
       import type { Schema } from '../typings.js';
       export default function customize(agent: Agent<Schema>): void {
         agent.customizeCollection('orders', (orders) =>
           orders.addHook('Before', 'Update', (hook) => {
             if (hook.patch.currency === 'XXX') hook.throwValidationError('Nobody pays with this.');
           }));
       }`,
    );
    const session = await startDevSession(root, 'role:clerk');
    const { page, complaints, goTo } = await openConsole(openPage, session, { timezoneId: 'Europe/Paris' });
    await goTo('data/orders/1');
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('total').fill('12,50');
    const year = page.getByRole('spinbutton', { name: 'ordered_at: year' });
    await year.focus();
    await page.keyboard.type('20260329023000');
    await page.getByRole('group', { name: 'ordered_at' }).getByText('Europe/Paris does not have this time').waitFor();
    await page.getByRole('checkbox', { name: 'shipped_at: null' }).uncheck();
    await page.getByRole('spinbutton', { name: 'shipped_at: year' }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('A number is written 1234.56').waitFor();
    const problems = page.locator('[id$=-problem]');
    await expect.poll(() => problems.count()).toBe(3);
    expect(await page.locator(':focus').getAttribute('id')).toMatch(/total$/);
    expect(await page.getByLabel('total').inputValue()).toBe('12,50');

    // What is against a field goes when the field is changed.
    await page.getByLabel('total').fill('12.50');
    await expect.poll(() => problems.count()).toBe(2);
    await page.getByRole('checkbox', { name: 'shipped_at: null' }).check();
    await year.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('1025');
    await page.getByLabel('ordered_at: offset').selectOption('+01:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('2026-10-25 02:30:00+01:00').waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    const currency = page.getByLabel('currency');
    await currency.fill('XXX');
    await page.getByRole('button', { name: 'Save' }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'Nobody pays with this.' });
    await refusal.waitFor();
    const [above, below] = await Promise.all([refusal.boundingBox(), currency.boundingBox()]);
    expect([(above?.y ?? 0) < (below?.y ?? 0), (above?.y ?? 0) > 0]).toEqual([true, true]);
    expect(await currency.inputValue()).toBe('XXX');

    await currency.fill('CHF');
    await permit({ browse: true, read: true });
    await session.next('permissions');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: '"orders"' }).waitFor();
    await page.getByRole('button', { name: 'Copy what you typed' }).waitFor();
    expect(await currency.inputValue()).toBe('CHF');
    expect(complaints).toEqual([]);
  });

  it('offer what was typed again after the page is gone, to the same person', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const { page, goTo } = await openConsole(openPage, session);
    await goTo('data/orders/1');
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('currency').fill('CHF');
    await page.getByText('1 field changed').waitFor();
    // Whoever signs in after them on the same machine has drafts of their own.
    const keys = `new Promise((resolve) => {
      indexedDB.open('vendor-cloud', 1).onsuccess = ({ target }) =>
        (target.result.transaction('drafts').objectStore('drafts').getAllKeys().onsuccess = (event) => resolve(event.target.result));
    })`;
    const person = `fetch('/api/me', { headers: { 'service-client': 'console' } }).then((answer) => answer.json())`;
    await expect.poll(async () => ((await page.evaluate(keys)) as string[]).length).toBe(1);
    const [key = ''] = (await page.evaluate(keys)) as string[];
    const { user } = (await page.evaluate(person)) as { user: { id: number } };
    expect(JSON.parse(key)[0]).toBe(user.id);
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText(/^There is a draft\. You typed it last on .+\d:\d\d:\d\d/).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    expect(await page.getByLabel('currency').inputValue()).toBe('USD');
    await page.getByRole('button', { name: 'Take it' }).click();
    await expect.poll(() => page.getByLabel('currency').inputValue()).toBe('CHF');
  });

  it('make the records that a form and a list lead to, in forms of their own over several levels', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    const pick = async (relation: string) => {
      const dialogs = await page.getByRole('dialog').all();
      const form = dialogs.at(-1) ?? page;
      await form.getByRole('button', { name: new RegExp(`^${relation}: `) }).click();
      await page
        .getByRole('button', { name: /^New in / })
        .last()
        .click();
    };
    await goTo('new/orders');
    await page.getByLabel('reference').fill('2026-nested');
    await pick('shipping_address');
    const address = page.getByRole('dialog', { name: 'New in addresses' });
    await address.getByLabel('street').fill('1 Main Street');
    await pick('customer');
    const customer = page.getByRole('dialog', { name: 'New in customers' });
    await customer.getByLabel('email').fill('nested@example.test');
    await customer.getByLabel('first_name').fill('Nes');
    await customer.getByRole('button', { name: 'Save' }).click();
    await customer.locator('[aria-invalid]').first().waitFor();
    await customer.getByLabel('last_name').fill('Ted');
    await customer.getByRole('button', { name: 'Save' }).click();
    await address.getByText(/is created. It stays/).waitFor();
    expect(await address.getByLabel('street').inputValue()).toBe('1 Main Street');
    // Escape asks, because something is typed.
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.accept();
    });
    await page.keyboard.press('Escape');
    await expect.poll(() => address.count()).toBe(0);
    expect(asked).toEqual(['What you typed is not saved. Close the form? A draft is kept for a day.']);
    expect(await page.getByLabel('reference').inputValue()).toBe('2026-nested');
    await pick('shipping_address');
    await address.getByRole('button', { name: 'Take it' }).click();
    await expect.poll(() => address.getByLabel('street').inputValue()).toBe('1 Main Street');
    await page.keyboard.press('Escape');
    await expect.poll(() => address.count()).toBe(0);
    await page.goBack();
    expect(asked).toHaveLength(3);

    await goTo('data/customers?search=nested');
    await page.getByRole('gridcell', { name: 'nested@example.test' }).click();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'New in addresses' }).click();
    await address.getByRole('button', { name: /^customer: Nes Ted/ }).waitFor();
    await address.getByLabel('city').fill('Nice');
    await page.keyboard.press('Escape');
    await expect.poll(() => address.count()).toBe(0);
    await page.getByRole('button', { name: 'New in addresses' }).click();
    // What was typed into the form that is closed is offered, and what this one leads to stays.
    await address.getByRole('button', { name: 'Take it' }).click();
    await expect.poll(() => address.getByLabel('city').inputValue()).toBe('Nice');
    // The form of the order has a draft of its own.
    expect(await address.getByLabel('street').inputValue()).toBe('');
    await address.getByRole('button', { name: /^customer: Nes Ted/ }).waitFor();
    await address.getByLabel('kind').selectOption('billing');
    await address.getByLabel('street').fill('2 Main Street');
    await address.getByLabel('city').fill('Lyon');
    await address.getByLabel('country').fill('FR');
    await address.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('gridcell', { name: '2 Main Street' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('say what a deletion takes along and what keeps it from happening (case 47), and delete', {
    tags: 'long',
  }, async () => {
    const root = await createProjectWith(
      'create table teams (id integer primary key, name text)',
      'create table archives (id integer primary key, name text, deleted_at datetime)',
      "insert into archives values (1, 'old', null)",
      'create table members (id integer primary key, team_id integer references teams(id) on delete cascade)',
      'create table desks (id integer primary key, member_id integer references members(id) on delete set null)',
      'create table debts (id integer primary key, member_id integer references members(id))',
      "insert into teams values (1, 'with members'), (2, 'with debts')",
      'insert into members values (1, 1), (2, 1), (3, 1), (4, 2)',
      'insert into desks values (1, 1)',
      'insert into debts values (1, 4), (2, 4)',
    );
    const configFile = path.join(root, 'vendor-cloud.json');
    const config = await readFile(configFile, 'utf8');
    await writeFile(configFile, config.replace('"softDelete": false', '"softDelete": { "archives": "deleted_at" }'));
    const session = await startDevSession(root);
    const { page, complaints, goTo } = await openConsole(openPage, session);
    const dialog = page.getByRole('dialog', { name: /^Delete / });
    const button = dialog.getByRole('button', { name: 'Delete' });
    const ask = async (place: string) => {
      await goTo(place);
      await page.getByRole('button', { name: 'Delete' }).click();
    };
    await ask('data/teams/2');
    await dialog.getByText('The database refuses this').waitFor();
    await dialog.getByText('debts: 2', { exact: true }).waitFor();
    expect(await button.isDisabled()).toBe(true);
    await ask('data/teams/1');
    await dialog.getByText('This is final.').waitFor();
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
      'members: 3 deleted too',
      'desks: 1 kept, without this link',
    ]);
    await button.click();
    await page.getByText('Deleted', { exact: true }).waitFor();

    await ask('data/archives/1');
    await dialog.getByText('It can be restored.').waitFor();
    await button.click();
    await page.waitForURL(/data\/archives$/);
    await goTo('data/teams/1');
    await page.getByText('REQUEST_NOT_FOUND').waitFor();
    await page.getByRole('heading', { level: 1 }).getByRole('link', { name: 'teams' }).waitFor();
    await goTo('data/archives/1');
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored', { exact: true }).waitFor();

    await ask('data/payments/1');
    await dialog.getByText('This is final.').waitFor();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(/data\/payments$/);
    await page.getByText('Deleted', { exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});
