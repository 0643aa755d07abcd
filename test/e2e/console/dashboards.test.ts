import { expect, it } from 'vitest';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { startDevSession } from '../../helpers/dev-session.ts';
import { writeFiles } from '../../helpers/write-files.ts';

const counted = { collection: 'orders', aggregator: 'Count' } as const;

/** Charts of every kind, and charts over records. */
const dashboard = {
  title: 'Sales <b>',
  charts: [
    { chart: 'Revenue' },
    { chart: 'Share', title: 'Part of it' },
    { chart: 'Goal' },
    { chart: 'Best' },
    { chart: 'Lines' },
    { chart: 'Rows' },
    {
      ...counted,
      title: 'Cancelled',
      type: 'Objective',
      objective: 5000,
      filter: { field: 'status', operator: 'equal', value: 'cancelled' },
    },
    { ...counted, title: 'By status', type: 'Pie', groupByFieldName: 'status' },
    { ...counted, title: 'By year', type: 'Line', groupByFieldName: 'ordered_at', timeRange: 'Year' },
    {
      title: 'Best customers',
      collection: 'customers',
      type: 'Leaderboard',
      aggregator: 'Count',
      labelFieldName: 'email',
      relationshipFieldName: 'orders',
      limit: 3,
    },
  ],
};

async function createProject(): Promise<string> {
  const root = await createConsoleProject();
  await writeFiles(root, { 'dashboards/sales.json': JSON.stringify(dashboard) });
  return root;
}

describeInChromium('dashboards of the console', (openPage) => {
  it('draw charts of every kind, and lead to exactly the records that a part of a chart counts', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession(await createProject());
    const { page, complaints, goTo } = await openConsole(openPage, session, { timezoneId: 'America/New_York' });
    await page.getByRole('link', { name: 'Sales <b>' }).click();
    await page.getByRole('heading', { name: 'Sales <b>' }).waitFor();
    const chart = (name: string) => page.getByRole('figure').filter({ has: page.getByText(name, { exact: true }) });
    await chart('Revenue').getByText('1,204').waitFor();
    await chart('Part of it').getByText('62 %').waitFor();
    await chart('Goal').getByText('/ 100').waitFor();
    await chart('Best').getByText('Ada').waitFor();
    await chart('Lines').getByRole('img', { name: 'Lines' }).locator('canvas').waitFor();
    await chart('By year').getByRole('img', { name: 'By year' }).locator('canvas').waitFor();
    await expect.poll(() => chart('Rows').getByRole('row').allInnerTexts()).toEqual(['a\tb', '1\t', '2\tx']);

    const follow = async (name: string, row: string, text: string) => {
      const count = text.replaceAll(',', '');
      expect(Number(count), `${name}: ${row}`).toBeGreaterThan(1);
      await page.getByText(`${Number(count).toLocaleString('en')} records`).waitFor();
      expect(new URL(page.url()).searchParams.get('filters')).not.toBe(null);
      await goTo('dashboards/sales');
    };
    for (const name of ['By status', 'By year', 'Best customers']) {
      await chart(name).getByRole('button', { name: 'As a table' }).click();
      const rows = chart(name).getByRole('row');
      await rows.first().waitFor();
      const [label = '', count = ''] = (await rows.nth(1).innerText()).split('\t');
      await rows.nth(1).getByRole('link').click();
      await follow(name, label, count);
    }
    const cancelled = chart('Cancelled').getByRole('link');
    const count = await cancelled.innerText();
    await cancelled.click();
    await follow('Cancelled', '', count);

    const bar = chart('By status').getByRole('listitem').first();
    const [, counts = ''] = (await bar.innerText()).split('\n');
    await bar.getByRole('link').click();
    await follow('By status', 'the bar', counts);

    const first = await chart('By year').locator('.u-over').boundingBox();
    await chart('By year')
      .locator('.u-over')
      .click({ position: { x: (first?.width ?? 0) / 2, y: 20 } });
    await page.waitForURL(/\/data\/orders\?filters=/);
    expect(complaints).toEqual([]);
  });
});
