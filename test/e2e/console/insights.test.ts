import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';
import { call } from '../../helpers/rest-call.ts';

describeInChromium('insights in the console', (openPage) => {
  it('show what the agent has counted, and copy the statement of a missing index', async () => {
    const session = await startDevSession(await createConsoleProject());
    const { ready } = session;
    const agent = { agentUrl: ready.agent.url, token: ready.token };
    expect((await call(agent, '/orders?sort=-total&fields[orders]=id')).status).toBe(200);
    const { page, complaints } = await openConsole(openPage, session, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    // Every query is slow for whoever waits for none.
    await page.route('**/_internal/insights?**', (route) =>
      route.continue({ url: `${route.request().url()}&slowerThan=0` }),
    );
    await page.getByRole('link', { name: 'Insights' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { level: 1, name: 'Insights' }).waitFor();
    const slow = page.getByRole('region', { name: 'Slow and frequent queries', exact: true });
    await slow.getByRole('row', { name: /list orders by total descending slow 1 / }).waitFor();
    const indexes = page.getByRole('region', { name: 'Missing indexes' });
    const statement = 'create index "orders_total_idx" on "orders" ("total" desc)';
    await indexes.getByText(statement).waitFor();
    await indexes.getByRole('button', { name: 'Copy the statement for orders: total', exact: true }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(statement);
    await page.getByRole('region', { name: 'What no request has used' }).getByText('orders: Report').waitFor();
    await page.getByRole('region', { name: 'Rights that nobody needs' }).getByText('Nobody has set rights').waitFor();
    await page.getByRole('link', { name: 'Insights' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
