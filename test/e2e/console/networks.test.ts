import { readFile, writeFile } from 'node:fs/promises';
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';

const atAgent = '**/console/agent/**';

/** The next write reaches the agent, and its answer is lost. Returns the writes that were sent. */
async function loseAnswer(page: Page): Promise<readonly string[]> {
  const writes: string[] = [];
  page.on('request', (request: Request) => {
    if (request.method() !== 'GET' && request.url().includes('/console/agent/')) writes.push(request.method());
  });
  await page.route(atAgent, async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    // Browsers say this by themselves, and the platform asks for it.
    await route.fetch({ headers: { ...(await route.request().allHeaders()), 'sec-fetch-site': 'same-origin' } });
    await route.abort('connectionreset');
  });
  return writes;
}

describeInChromium('a network that fails', (openPage) => {
  it('keeps what was typed, and finds out what came of a lost answer without sending it again (case 33)', async () => {
    const session = await startDevSession();
    const { page, goTo } = await openConsole(openPage, session);
    const button = (name: string) => page.getByRole('button', { name });
    // A slow answer leaves the frame of the page, where one can go elsewhere.
    const slow = Promise.withResolvers<void>();
    await page.route(/_internal\/schema\/payments/, async (route) => {
      await slow.promise;
      await route.fallback();
    });
    await page.getByRole('link', { name: 'payments' }).click();
    await page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    expect(await button('Sign out').isVisible()).toBe(true);
    slow.resolve();
    await page.getByRole('grid', { name: 'payments' }).waitFor();
    await goTo('data/customers/1');
    await button('Edit').click();
    await page.getByRole('textbox', { name: 'phone' }).fill('+1 555');
    await page.context().setOffline(true);
    await button('Save').click();
    await page.getByText('Whether the record was saved is not known.').waitFor();
    expect(await page.getByRole('textbox', { name: 'phone' }).inputValue()).toBe('+1 555');
    expect(await button('Save').isDisabled()).toBe(true);
    await button('Find out').click();
    await page.locator('form').getByText('The server does not answer.').waitFor();
    await page.context().setOffline(false);
    await button('Find out').click();
    await page.getByText('It was not saved. You can save it now.').waitFor();

    const writes = await loseAnswer(page);
    await button('Save').click();
    await button('Find out').click();
    await page.getByRole('definition').getByText('+1 555').waitFor();
    expect(writes).toEqual(['PUT']);

    await goTo('new/tags');
    await page.getByRole('textbox', { name: 'name' }).fill('lost');
    await button('Save').click();
    await button('Find out').click();
    await page.getByText('These records have the values that you sent.').waitFor();
    await button('That is it').click();
    await page.getByRole('heading', { name: 'tags lost' }).waitFor();
    expect(writes).toEqual(['PUT', 'POST']);

    // Somebody else deletes the record: both the form and the screen say so, and what was typed stays.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const { agent, token } = session.ready;
    await button('Edit').click();
    await page.getByRole('textbox', { name: 'name' }).fill('found');
    const deleted = `${agent.url}/tags/${new URL(page.url()).pathname.split('/').at(-1)}?timezone=UTC`;
    const { status } = await fetch(deleted, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
    expect(status).toBe(204);
    await button('Save').click();
    await button('Copy what you typed').waitFor();
    const said = page.getByRole('alert').filter({ hasText: 'REQUEST_NOT_FOUND' });
    await expect
      .poll(async () => {
        await page.evaluate('dispatchEvent(new Event("visibilitychange"))');
        return said.count();
      })
      .toBe(2);
    expect(await page.getByRole('textbox', { name: 'name' }).inputValue()).toBe('found');
    await button('Discard').click();

    // A slow server: the form says that it saves, sends once, and keeps what is typed meanwhile.
    await goTo('data/customers/1');
    await button('Edit').click();
    const slowly = Promise.withResolvers<void>();
    let sent = 0;
    await page.route(atAgent, async (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      sent += 1;
      await slowly.promise;
      await route.fallback();
    });
    const phone = page.getByRole('textbox', { name: 'phone' });
    await phone.fill('+1 556');
    await button('Save').dblclick();
    await page.getByText('Being saved').waitFor();
    await phone.fill('+1 557');
    slowly.resolve();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await phone.inputValue()).toBe('+1 557');
    await button('Save').click();
    await page.getByRole('definition').getByText('+1 557').waitFor();
    expect(sent).toBe(2);

    // A file that takes long is stopped with its dialog.
    const never = Promise.withResolvers<void>();
    await page.route(/orders\.csv/, () => never.promise);
    await goTo('data/orders');
    await button('Export').click();
    const exporting = page.getByRole('dialog', { name: /^Export/ });
    await exporting.getByRole('button', { name: 'CSV file' }).click();
    await exporting.getByText('The file is on its way.').waitFor();
    const stopped = page.waitForEvent('requestfailed', (request) => request.url().includes('orders.csv'));
    await exporting.getByRole('button', { name: 'Cancel' }).click();
    await stopped;
    never.resolve();

    // A limit of requests is reached: the button counts the seconds, and works after them.
    const document = JSON.stringify({ errors: [{ status: 429, detail: 'Too many requests at once.' }] });
    const refuse = { status: 429, headers: { 'retry-after': '2' }, body: document };
    await page.route(/\/payments\?/, (route) => route.fulfill(refuse), { times: 1 });
    await page.getByRole('link', { name: 'payments' }).click();
    await page.getByText('Too many requests at once.').waitFor();
    expect(await button('Try again in').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Try again', exact: true }).click();
    await page.getByText('Too many requests at once.').waitFor({ state: 'hidden' });
  });

  it('and a session that ends, a clock that is years off, or a part of the console that is gone lose nothing', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    const { page, complaints, goTo } = await openConsole(openPage, session);
    const save = page.getByRole('button', { name: 'Save' });
    const phone = page.getByRole('textbox', { name: 'phone' });
    await page.clock.setFixedTime(new Date('2001-01-01T12:00:00Z'));
    await goTo('data/customers/1');
    await page.getByRole('button', { name: 'Edit' }).click();
    await phone.fill('+2 555');
    await page.getByText('1 field changed').waitFor();
    // Case 36: somebody signs in in another window.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Edit' }).waitFor();
    await page.context().clearCookies();
    await save.click();
    await other.getByRole('link', { name: 'payments' }).click();
    for (const tab of [page, other]) await tab.getByText('Your session has ended').waitFor();
    const window = await page.context().newPage();
    await window.goto(session.controls.makeSignInLink?.().link ?? '');
    await page.getByRole('definition').getByText('+2 555').waitFor();
    // One sign-in is for all pages that wait.
    await other.getByRole('grid', { name: 'payments' }).waitFor();
    await other.close();
    await window.close();

    await page.getByRole('button', { name: 'Edit' }).click();
    await phone.fill('+3 555');
    // Back asks, and stays where the person wants it.
    const asked = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => history.back())');
    await (await asked).dismiss();
    expect(await phone.inputValue()).toBe('+3 555');
    // Case 60: an upgrade has removed the part that the next screen needs.
    await page.route('**/console/assets/column-chooser-*.js', (route) => route.fulfill({ status: 404 }));
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('heading').getByRole('link', { name: 'customers' }).click();
    await page.getByRole('gridcell').first().waitFor();
    await page.keyboard.press('c');
    await page.getByText('The console was updated.').waitFor();
    await page.unroute('**/console/assets/column-chooser-*.js');
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('gridcell').first().waitFor();
    await goTo('data/customers/1');
    await page.getByRole('button', { name: 'Take it' }).click();
    expect(await phone.inputValue()).toBe('+3 555');
    expect(complaints.filter((text) => !text.includes('dynamically imported module'))).toEqual([]);
  });
});

describeInChromium('a form of the console', (openPage) => {
  it('takes the answer to the newest change only, and keeps what is typed meanwhile (cases 40, 41, 45)', {
    tags: 'long',
  }, async () => {
    const root = await createConsoleProject();
    const entry = `${root}/src/index.ts`;
    const code = await readFile(entry, 'utf8');
    const broken = `.addAction('Break', { scope: 'Single', generateFile: true, execute: async (_context, result) =>
        result.file(Readable.from((async function* () { yield 'half'; throw new Error('broken'); })()), 'half.txt', 'text/plain') })`;
    await writeFile(
      entry,
      `import { Readable } from 'node:stream';\n${code.replace(".addAction('Refuse'", `${broken}\n      .addAction('Refuse'`)}`,
    );
    const { page, goTo } = await openConsole(openPage, await startDevSession(root));
    const choose = async (name: string) => {
      await page.getByRole('button', { name: /^Actions/ }).click();
      await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name }).click();
    };
    await goTo('data/orders/1');
    await choose('Refund');
    const dialog = page.getByRole('dialog', { name: 'Refund' });
    await expect.poll(() => dialog.getByLabel('Amount').inputValue()).toBe('326.5');
    const answers: (() => void)[] = [];
    let changes = 0;
    await page.route('**/hooks/change*', async (route) => {
      changes += 1;
      const response = await route.fetch();
      await new Promise<void>((resolve) => answers.push(resolve));
      await route.fulfill({ response });
    });
    await dialog.getByLabel('Reason').selectOption('other');
    await dialog.getByLabel('Reason').selectOption('late');
    await dialog.getByLabel('Amount').fill('7');
    await expect.poll(() => answers.length).toBe(changes);
    for (const answer of answers.toReversed()) answer();
    await expect.poll(() => dialog.getByLabel('Amount').inputValue()).toBe('7');
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('late');
    expect(await dialog.getByLabel('Details').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    // The form holds what was typed, so the key asks first.
    page.once('dialog', (question) => void question.accept());
    await page.keyboard.press('Escape');

    const downloads: string[] = [];
    page.on('download', (download) => downloads.push(download.suggestedFilename()));
    await choose('Break');
    await page.getByRole('dialog', { name: 'Break' }).getByRole('button', { name: 'Run' }).click();
    await page.getByRole('dialog', { name: 'Break' }).getByRole('alert').waitFor();
    expect(downloads).toEqual([]);
  });
});
