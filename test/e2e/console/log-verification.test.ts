import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { type DevSession, startDevSession } from '../../helpers/dev-session.ts';

/** Changes the store past the platform, as somebody with a way to its file would. */
async function attack(session: DevSession, statements: readonly string[]): Promise<void> {
  const thief = await openSqlite(path.join(session.root, '.vendor-cloud/platform.sqlite'));
  try {
    thief.execute('pragma foreign_keys = off');
    for (const { name } of thief.all("select name from sqlite_schema where type = 'trigger'")) {
      thief.execute(`drop trigger ${String(name)}`);
    }
    for (const statement of statements) thief.execute(statement);
  } finally {
    thief.close();
  }
}

const ofActivity = `(select id from audit_chains where kind = 'activity')`;

/** The verification of a log in a page. */
function verificationIn(page: Page) {
  const panel = page.getByRole('region', { name: 'Verification' });
  return {
    panel,
    open: () => page.getByRole('button', { name: 'Verify', exact: true }).click(),
    verify: () => panel.getByRole('button', { name: 'Verify in this browser' }).click(),
    isGreen: async () => (await panel.locator('[data-kind=success]').count()) > 0,
  };
}

describeInChromium('the verification of the log in the browser', (openPage) => {
  it('holds for a log as it was written, and names the row that somebody has changed or cut off', async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session);
    for (const id of [1, 2, 3, 4]) {
      await goTo(`data/orders/${id}`);
      await page.getByRole('definition').first().waitFor();
    }
    await goTo('log/activity');
    const rows = page.getByRole('grid', { name: 'Activity' }).getByRole('row');
    await expect
      .poll(async () => {
        await page.keyboard.press('r');
        return rows.count();
      })
      .toBeGreaterThan(4);
    const { panel, open, verify, isGreen } = verificationIn(page);
    await open();
    await panel.getByText('It keeps a checkpoint then').waitFor();
    await verify();
    await panel.getByText(/^The log holds: \d+ rows, from 1 to \d+, none changed, missing or moved\.$/).waitFor();
    expect(await isGreen()).toBe(true);
    await panel.getByText('It compares the log with the checkpoint that it has kept').waitFor();

    const second = `chain_id = ${ofActivity} and sequence = 2`;
    await attack(session, [`update audit_rows set body = replace(body, '"version":2', '"version":3') where ${second}`]);
    await verify();
    await panel.getByRole('alert').getByText('Row 2 was changed: its hash does not fit.').waitFor();
    await panel.getByText('Kind: hash. First row: 2. 1 row before it were verified.').waitFor();
    await panel.getByText('Keep the log and its store as they are').waitFor();
    expect(await isGreen()).toBe(false);
    await attack(session, [`update audit_rows set body = replace(body, '"version":3', '"version":2') where ${second}`]);
    await verify();
    await panel.getByText(/^The log holds/).waitFor();

    await attack(session, [
      `delete from audit_rows where chain_id = ${ofActivity} and sequence > 2`,
      `update audit_chains set head_sequence = 2, head_hash = (select hash from audit_rows where ${second}) where kind = 'activity'`,
      `delete from audit_checkpoints where chain_id = ${ofActivity}`,
    ]);
    await verify();
    await panel
      .getByRole('alert')
      .getByText(/^The log had \d+ rows once, and ends with row 2 now\.$/)
      .waitFor();
    expect(await isGreen()).toBe(false);
    expect(complaints).toEqual([]);
  });
});
