import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createProjectWith } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

const secrets = ['grace.hopper@secret.test', '+1 555 0199'];

describeInChromium('fields that a role sees masked or not at all', (openPage) => {
  it('stand masked in the console, offer no filter and no sort, and are sent by no form; hidden ones are nowhere', async () => {
    const root = await createProjectWith(
      `update customers set email = '${secrets[0]}', phone = '${secrets[1]}', last_name = 'Hopper' where id = 1`,
    );
    const fields = { email: { read: 'email', write: true }, phone: false };
    const customers = { browse: true, read: true, edit: true, add: true, fields };
    await writeFile(
      path.join(root, 'permissions.json'),
      JSON.stringify({ roles: { clerk: { collections: { customers } } } }),
    );
    const session = await startDevSession(root, 'role:clerk');
    const { page, complaints, goTo } = await openConsole(openPage, session);
    const sent: string[] = [];
    const seen: string[] = [];
    const look = async () => seen.push(await page.locator('body').innerText());
    page.on('request', (request) => sent.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`));

    await goTo('data/customers');
    const header = (name: string) => page.getByRole('columnheader', { name });
    await page.getByRole('gridcell', { name: 'g···@secret.test' }).waitFor();
    await header('tier').getByRole('button', { name: 'tier', exact: true }).waitFor();
    expect(await header('email').getByRole('button', { name: 'email', exact: true }).count()).toBe(0);
    expect(await header('phone').count()).toBe(0);
    await look();
    await page.keyboard.press('f');
    const dialog = page.getByRole('dialog', { name: 'Filters' });
    await dialog.getByRole('combobox', { name: 'Field' }).waitFor();
    const offered = await dialog.getByRole('combobox', { name: 'Field' }).locator('option').allTextContents();
    expect(offered).toEqual(expect.arrayContaining(['tier']));
    for (const name of ['email', 'phone']) expect(offered).not.toContain(name);
    await look();
    await page.keyboard.press('Escape');

    await goTo('data/customers/1');
    await page.getByRole('definition').getByText('g···@secret.test').waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('last_name').fill('Murray');
    await page.getByText('1 field changed').waitFor();
    await look();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('Murray', { exact: true }).waitFor();
    const writes = () => sent.filter((request) => request.includes('Murray'));
    expect(writes()).toHaveLength(1);
    expect(writes()[0]).not.toMatch(/email|·/);

    // A new value that somebody types is sent, and the old one is not asked for.
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('email').fill('amazing.grace@new.test');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('a···@new.test').waitFor();

    await look();
    const screens = seen.join('\n');
    expect(secrets.filter((secret) => screens.includes(secret))).toEqual([]);
    // The name of a segment is what its author wrote.
    expect(screens.replaceAll('Newsletter without phone', '')).not.toContain('phone');
    expect(sent.filter((request) => /phone|·/.test(request))).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
