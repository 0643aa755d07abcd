import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';
import { flowContext } from '../../helpers/flow-context.ts';

describeInChromium('the console beside the code', (openPage) => {
  it('shows a new field without a reload, keeps a half-filled form, and shows where the code is broken', async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders/1');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('currency').fill('CHF');
    await page.getByRole('textbox', { name: 'note' }).fill('typed before');
    expect(await page.getByRole('checkbox', { name: 'note: null' }).isChecked()).toBe(false);
    const code = await readFile(session.entry, 'utf8');
    const added = `orders.addField('shout', { columnType: 'String', dependencies: ['currency'], getValues: (records) => records.map(({ currency }) => currency + '!') }).removeField('note');`;
    await writeFile(session.entry, code.replace('orders\n', `${added}\n    orders\n`));
    await session.next('reloaded');
    // Case 38: the field that is gone is read only, and the rest is saved.
    await page.getByText('is not a field any more').waitFor();
    await page.getByText('typed before').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('CHF!').waitFor();

    // Case 58: what is on the screen stays while the code is broken, and while the agent restarts.
    await writeFile(session.entry, `${code}\nthis is broken`);
    await session.next('error');
    const notice = page.getByRole('alert').filter({ hasText: 'The code has an error' });
    await notice.getByText('this is broken').waitFor();
    await page.getByRole('definition').getByText('CHF!').waitFor();

    await writeFile(session.entry, code);
    await session.next('reloaded');
    await expect.poll(() => notice.count()).toBe(0);
    await expect.poll(() => page.getByRole('term').filter({ hasText: 'shout' }).count()).toBe(0);

    const list = await page.context().newPage();
    await list.goto(page.url().replace(/\/1$/, ''));
    const rows = list.getByRole('rowheader');
    await rows.first().waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('currency').fill('SEK');
    const configFile = `${session.root}/vendor-cloud.json`;
    const config = JSON.parse(await readFile(configFile, 'utf8')) as object;
    await writeFile(configFile, JSON.stringify({ ...config, rest: { webhookOrigins: ['https://hooks.example.com'] } }));
    await session.next('restarted');
    expect(await rows.count()).toBeGreaterThan(5);
    expect(await page.getByLabel('currency').inputValue()).toBe('SEK');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('definition').getByText('SEK').waitFor();
    expect(complaints).toEqual([]);
  });

  it('heads what is wrong by what it is: the code, or a database', { tags: 'long' }, async () => {
    const root = await createConsoleProject();
    const database = await flowContext(root).openDatabase(`${root}/shop.sqlite`);
    database.execute('CREATE TABLE texts (id INTEGER PRIMARY KEY, value TEXT)');
    database.execute("CREATE TRIGGER failing BEFORE INSERT ON texts BEGIN SELECT json('no JSON'); END");
    database.close();
    const session = await startDevSession(root);
    const { page, goTo } = await openConsole(openPage, session);
    await goTo('data/customers');
    await page.getByRole('gridcell').first().waitFor();
    const ask = async (address: string, body: object) => {
      const headers = { authorization: `Bearer ${session.ready.token}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(`${session.ready.agent.url}/${address}?timezone=UTC`, init);
      expect(response.status, await response.text()).toBe(500);
      return session.next('request-failed');
    };
    const titled = (title: string) => page.getByRole('alert').filter({ hasText: title });

    expect(await ask('_charts/Broken', {})).toMatchObject({ error: { code: 'CUSTOMIZATION_FAILED' } });
    await titled('A request met an error of the code').getByText('not in the answer').first().waitFor();
    const record = { data: { type: 'texts', attributes: { value: 'any' } } };
    expect(await ask('texts', record)).toMatchObject({ error: { code: 'DATABASE_QUERY_FAILED' } });
    await titled('A request met an error of a database').waitFor();
    expect(await titled('of the code').count()).toBe(0);
  });
});

describeInChromium('a session of the console', (openPage) => {
  it('ends in every tab, on a narrow screen too, and leaves no records on the screen', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const { page, goTo } = await openConsole(openPage, session, { viewport: { width: 360, height: 640 } });
    await goTo('data/customers');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('gridcell').first().waitFor();
    const button = page.getByRole('button', { name: 'Sign out' });
    const { x = 0, width = 0 } = (await button.boundingBox()) ?? {};
    expect(x + width).toBeLessThanOrEqual(360);
    await button.click();
    await Promise.all([page, other].map((tab) => tab.waitForURL(/\/sign-in\//)));
    expect(await other.getByRole('gridcell').count()).toBe(0);
  });
});
