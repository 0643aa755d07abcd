import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';
import { startHttpServer } from '../../helpers/http-server.ts';

interface HookCall {
  /** Method and path. */
  readonly asked: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that takes calls of pages of any origin, except at `/closed`, and notes those that are not questions of a browser. */
async function startHookServer() {
  const calls: HookCall[] = [];
  const { origin } = await startHttpServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    // Browsers ask before the call itself, and no question may be answered elsewhere.
    if (url === '/moved' && method !== 'OPTIONS') response.setHeader('location', '/hook');
    if (url !== '/closed') {
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('access-control-allow-headers', headers['access-control-request-headers'] ?? '*');
    }
    if (method !== 'OPTIONS') calls.push({ asked: `${method} ${url}`, headers, body: await text(request) });
    response.writeHead(response.hasHeader('location') ? 302 : 202).end();
  });
  return { origin, calls };
}

describeInChromium('actions and charts of the console', (openPage) => {
  it('run a form of pages whose fields come and go, with HTML that reaches nothing', { tags: 'long' }, async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders/1');
    const choose = async (name: string) => {
      await page.getByRole('button', { name: /^Actions/ }).click();
      await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name }).click();
    };
    await choose('Refund');
    const dialog = page.getByRole('dialog', { name: 'Refund' });
    await expect.poll(() => dialog.getByLabel('Amount').inputValue()).toBe('326.5');
    await dialog.getByLabel('Reason').selectOption('other');
    await dialog.getByLabel('Details').fill('broken box');
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.frameLocator('iframe').getByText('Sure?').waitFor();
    await dialog.getByRole('button', { name: /^Approver/ }).click();
    const picker = page.getByRole('dialog', { name: 'Choose from customers' });
    await picker.getByRole('listitem').first().getByRole('button').click();
    // Case 42: a double click runs it once.
    const runs: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.includes('/_actions/') && !pathname.includes('/hooks/')) runs.push(pathname);
    });
    await dialog.getByRole('button', { name: 'Refund now' }).dblclick();
    await page.getByText('Refunded 326.5 broken box').waitFor();
    expect(runs).toHaveLength(1);
    expect(await page.title()).toMatch(/^orders .* · vendor-cloud$/);
    // Case 39: what is required and not there is not asked for.
    await choose('Refund');
    await dialog.getByLabel('Reason').selectOption('late');
    expect(await dialog.getByLabel('Details').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Next' }).click();
    await dialog.getByRole('button', { name: 'Refund now' }).click();
    await page.getByText('Refunded 326.5', { exact: true }).waitFor();

    await choose('Refuse');
    await page.getByRole('dialog', { name: 'Refuse' }).getByRole('button', { name: 'Run' }).click();
    await page.getByRole('dialog', { name: 'Refuse' }).getByText('Not today').waitFor();
    await page.keyboard.press('Escape');
    await choose('Tell');
    await page.getByRole('dialog', { name: 'Tell' }).getByRole('button', { name: 'Run' }).click();
    await page.frameLocator('iframe').getByText('Read this').waitFor();
    expect(complaints).toEqual([]);
  });

  it('and every other form ask before Escape, Back and a reload lose what was typed, also at a second Escape in a row', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/customers');
    await page.getByRole('link', { name: 'orders', exact: true }).click();
    const asked: string[] = [];
    const leave = 'What you typed is not saved. Close the form?';
    let isLeft = false;
    page.on('dialog', (question) => {
      asked.push(question.message());
      void (isLeft ? question.accept() : question.dismiss());
    });
    const pressEscape = async (times: number) => {
      await page.keyboard.press('Escape');
      await expect.poll(() => asked.length).toBe(times);
    };

    // Nothing is asked where nothing is typed.
    await page
      .getByRole('button', { name: /^Actions/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Call' }).click();
    const call = page.getByRole('dialog', { name: 'Call' });
    await call.getByLabel('Address').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => call.count()).toBe(0);
    expect(asked).toEqual([]);

    await page
      .getByRole('button', { name: /^Actions/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Call' }).click();
    await call.getByLabel('Address').fill('https://example.test/other');
    await pressEscape(1);
    await pressEscape(2);
    // Letters that lead elsewhere do not work behind the form.
    await call.getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    for (const [at, way] of ['history.back()', 'location.reload()'].entries()) {
      await page.evaluate(way);
      await expect.poll(() => asked.length).toBe(3 + at);
    }
    // Browsers have words of their own for a reload.
    expect(asked.splice(3)).toEqual(['']);
    expect(await call.getByLabel('Address').inputValue()).toBe('https://example.test/other');
    isLeft = true;
    await page.evaluate('history.back()');
    await page.getByRole('heading', { name: 'customers' }).waitFor();
    expect([asked.length, await call.count()]).toEqual([4, 0]);

    isLeft = false;
    asked.splice(3);
    await goTo('people');
    await page.getByRole('button', { name: 'Invite' }).click();
    const invite = page.getByRole('dialog', { name: 'Invite' });
    await invite.getByLabel('E-mail').fill('new@example.test');
    await pressEscape(4);
    expect(await invite.getByLabel('E-mail').inputValue()).toBe('new@example.test');
    await invite.getByRole('button', { name: 'Cancel' }).click();

    await goTo('data/orders');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const filters = page.getByRole('dialog', { name: 'Filters' });
    await filters
      .getByRole('button', { name: /^Add a condition/ })
      .first()
      .click();
    await pressEscape(5);
    expect(await filters.count()).toBe(1);
    expect(new Set(asked)).toEqual(new Set([leave]));
    // A search is not lost.
    await filters.getByRole('button', { name: 'Cancel' }).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ord');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    expect(asked).toHaveLength(5);
    expect(complaints).toEqual([]);
  });

  it('run on chosen records, save files, and call another server only where it is listed and somebody says yes', async () => {
    const listed = await startHookServer();
    const other = await startHookServer();
    const session = await startDevSession(await createConsoleProject({ webhookOrigins: [listed.origin] }));
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders');
    await page.getByRole('checkbox', { name: 'Select 2024-000001' }).check();
    await page.getByRole('checkbox', { name: 'Select 2024-000002' }).check();
    await page.getByText('2 of these').waitFor();
    const foot = page
      .locator('main')
      .getByRole('button', { name: /^Actions/ })
      .last();
    await foot.click();
    await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Report' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('dialog', { name: 'Report' }).getByRole('button', { name: 'Run' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('report é.csv');
    expect(await readFile(await download.path(), 'utf8')).toBe('a;b\n2');
    await page.keyboard.press('Escape');

    // Case 43: all that match, and then none of them.
    await goTo('data/orders?search=2024-000003');
    await page.getByRole('checkbox', { name: 'Select 2024-000003' }).check();
    await page.getByRole('button', { name: 'Select all 1 that match' }).click();
    await foot.click();
    await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Report' }).click();
    const report = page.getByRole('dialog', { name: 'Report' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await report.getByRole('button', { name: 'Copy as an MCP call' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'))
      .toMatch(/^vendor-cloud mcp call executeAction --arguments '.*"recordIds":\["\d+"\]/);
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select 2024-000003' }).uncheck();
    await foot.click();
    await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Report' }).click();
    await report.getByText('No record is chosen').waitFor();
    expect(await report.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');

    const dialog = page.getByRole('dialog', { name: 'Call' });
    const runCall = async (address: string) => {
      await page
        .getByRole('button', { name: /^Actions/ })
        .first()
        .click();
      await page.getByRole('dialog', { name: 'Actions' }).getByRole('button', { name: 'Call' }).click();
      await dialog.getByLabel('Address').fill(address);
      await dialog.getByRole('button', { name: 'Run' }).click();
    };
    const yes = dialog.getByRole('button', { name: 'Call it' });
    // Case 46: it is asked, and not called.
    await runCall(`${listed.origin}/hook`);
    await dialog.getByText('"b":2').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(listed.calls).toEqual([]);
    await runCall(`${listed.origin}/hook`);
    await yes.click();
    await dialog.getByText('The server answered with 202').waitFor();
    expect(await yes.count()).toBe(0);
    expect(listed.calls).toEqual([
      {
        asked: 'POST /hook',
        body: '{"b":2}',
        headers: expect.objectContaining({ 'x-a': '1', 'content-type': 'application/json' }),
      },
    ]);
    expect(Object.keys(listed.calls[0]?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(cookie|authorization|referer)$/)]),
    );
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(complaints).toEqual([]);

    // It does not let pages of other origins read its answers.
    await runCall(`${listed.origin}/closed`);
    await yes.click();
    await dialog.getByText('The page got no answer that it may read').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // It leads elsewhere, where nobody has listed anything.
    await runCall(`${listed.origin}/moved`);
    await yes.click();
    await dialog.getByText('The server redirects to another address, and the page does not follow').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(listed.calls.map(({ asked }) => asked)).toEqual(['POST /hook', 'POST /moved']);
    await runCall(`${other.origin}/hook`);
    await dialog.getByText(`curl -X 'POST' '${other.origin}/hook'`).waitFor();
    expect(await yes.count()).toBe(0);
    await dialog.getByRole('button', { name: 'Close' }).click();

    // The policy of a page that is open does not change.
    const configFile = path.join(session.root, 'vendor-cloud.json');
    const config = JSON.parse(await readFile(configFile, 'utf8')) as object;
    await writeFile(configFile, JSON.stringify({ ...config, rest: { webhookOrigins: [listed.origin, other.origin] } }));
    await session.next('restarted');
    await expect
      .poll(async () => {
        await runCall(`${other.origin}/hook`);
        await dialog.getByText('/hook').first().waitFor();
        const isListed = (await yes.count()) === 1;
        if (!isListed) await dialog.getByRole('button', { name: 'Close' }).click();
        return isListed;
      })
      .toBe(true);
    await yes.click();
    await dialog.getByText('This page may not call the server yet').waitFor();
    expect(complaints.filter((text) => text.includes('Content Security Policy'))).not.toEqual([]);
    expect(other.calls).toEqual([]);
    await page.reload();
    await runCall(`${other.origin}/hook`);
    await yes.click();
    await dialog.getByText('The server answered with 202').waitFor();
    expect(other.calls).toHaveLength(1);
  });

  it('draw charts of every kind, each as a table too, and say which one is broken', { tags: 'long' }, async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('charts');
    const chart = (name: string) => page.getByRole('figure').filter({ has: page.getByText(name, { exact: true }) });
    await chart('Revenue').getByText('1,204').waitFor();
    await chart('Share').getByText('62 %').waitFor();
    await chart('Goal').getByText('/ 100').waitFor();
    await chart('Statuses').getByText('shipped').waitFor();
    for (const name of ['Nothing', 'No months']) await chart(name).getByText('There is nothing to show').waitFor();
    // Names are whole, figures are grouped, and a negative bar goes back from zero.
    const balances = chart('Balances').getByRole('listitem');
    const name = balances.first().getByText('Customers of the northern region');
    expect(await name.evaluate((element) => element.scrollHeight <= element.clientHeight)).toBe(true);
    await balances.first().getByText('123,456,789,012').waitFor();
    await balances.last().getByText('-23,456,789,012').waitFor();
    const [paid, owed] = await Promise.all(
      [balances.first(), balances.last()].map((bar) => bar.locator('rect').boundingBox()),
    );
    expect((owed?.x ?? 0) + (owed?.width ?? 0)).toBeCloseTo(paid?.x ?? 0, 0);
    await chart('Months').getByRole('img', { name: 'Months' }).locator('canvas').waitFor();
    await chart('Broken').getByRole('alert').waitFor();
    expect(await chart('Broken').innerText()).not.toContain('not in the answer');
    await chart('Lines').getByRole('button', { name: 'As a table' }).click();
    expect(await chart('Lines').getByRole('row').allInnerTexts()).toEqual(['\ta\tb', 'Jan 26\t1\t3', 'Feb 26\t2\t4']);
    await goTo('data/customers/1');
    await chart('Orders of it').getByText('3').waitFor();
    expect(complaints).toEqual([]);
  });
});
