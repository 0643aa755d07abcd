import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { cosignerKeyOf, cosignerOf, verifierOf } from '#contracts/audit/signing';
import { cosignLogs } from '#flows/audit/cosign/cosign-logs';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { describeInChromium } from '../../helpers/chromium.ts';
import { openConsole } from '../../helpers/console-page.ts';
import { createConsoleProject } from '../../helpers/console-project.ts';
import { type DevSession, startDevSession } from '../../helpers/dev-session.ts';
import { flowContext } from '../../helpers/flow-context.ts';

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

/** What another machine signs of the logs of a project that is served. */
function cosignIn(folder: string) {
  const of = (name: string) => path.join(folder, name);
  const machine = { state: of('w1.state'), key: of('w1.key'), name: 'w1' };
  return cosignLogs(flowContext(folder), { folder, ...machine, platformKeys: [] });
}

/** What the platform says of its keys, a line each. */
const platformKeys = `fetch('/api/me', { headers: { 'service-client': 'console' } })
  .then((answer) => answer.json())
  .then(({ project }) => fetch('/console/v1/project/' + project + '/integrity', { headers: { 'service-client': 'console' } }))
  .then((answer) => answer.json())
  .then(({ keys }) => keys.join('\\n'))`;

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
  it('holds for a log as it was written, and names the row that somebody has changed or cut off', {
    tags: 'long',
  }, async () => {
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

    const keys = panel.getByRole('textbox', { name: /public keys of the platform/ });
    await keys.fill('vendor-cloud.audit');
    await verify();
    await panel.getByRole('alert').getByText('This is not a public key of a platform: vendor-cloud.audit').waitFor();
    await keys.fill(verifierOf(generateKeyPairSync('ed25519').privateKey).verifier);
    await verify();
    await panel.getByRole('alert').filter({ hasNotText: 'This is not a public key' }).waitFor();
    expect(await isGreen()).toBe(false);
    await keys.fill(String(await page.evaluate(platformKeys)));
    await verify();
    await panel.getByText(/^The log holds/).waitFor();
    await keys.fill('');

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

  it('takes checkpoints of a file, and proves nothing where the log is cut off, stopped, or cannot be checked', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession(await createConsoleProject());
    const { page, complaints, goTo } = await openConsole(openPage, session);
    await goTo('data/orders/1');
    await page.getByRole('definition').first().waitFor();
    await goTo('log/admin');
    const { panel, open, verify, isGreen } = verificationIn(page);
    await open();
    const chooser = panel.getByLabel('Checkpoints that were kept elsewhere, as a file:');
    await chooser.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
    await verify();
    await panel.getByRole('alert').getByText('The file holds no checkpoints').waitFor();
    const kept = path.join(session.root, '.vendor-cloud/platform.checkpoints');
    await expect.poll(() => existsSync(kept)).toBe(true);
    await chooser.setInputFiles(kept);
    const ofExports = /admin-logs\/export/;
    const [exported] = await Promise.all([page.waitForResponse(ofExports), verify()]);
    const address = JSON.stringify(exported.url());
    const whole = await page.evaluate<string>(
      `fetch(${address}, { headers: { 'service-client': 'console' } }).then((answer) => answer.text())`,
    );
    await panel.getByText(/^The log holds: \d+ rows/).waitFor();
    expect(await isGreen()).toBe(true);

    const witnesses = panel.getByRole('textbox', { name: /public keys of other machines/ });
    await witnesses.fill('vendor-cloud.audit');
    await verify();
    await panel.getByRole('alert').getByText('This is not a public key of a machine that cosigns').waitFor();
    const { cosigner } = await cosignIn(session.root);
    await witnesses.fill(cosignerOf(cosignerKeyOf('stranger', '22'.repeat(32))));
    await verify();
    await panel.getByText('stranger has signed nothing of this log.').waitFor();
    await panel.getByText('stranger has signed nothing of the register.').waitFor();
    expect(await isGreen()).toBe(false);
    await witnesses.fill(cosigner);
    await verify();
    await panel.getByText(/^The log holds: \d+ rows/).waitFor();
    expect(await isGreen()).toBe(true);
    await witnesses.fill('');

    // The connection ends before the last line of the log.
    const cut = whole.slice(0, whole.lastIndexOf('{"object":"end"'));
    expect(cut.length).toBeGreaterThan(100);
    await page.route(ofExports, (route) => route.fulfill({ body: cut }));
    await verify();
    await panel.getByText(/^Nothing proves the \d+ rows yet$/).waitFor();
    await panel.getByText('The export was cut off: its last line is missing.').waitFor();
    expect(await isGreen()).toBe(false);
    await page.unroute(ofExports);

    await page.route(ofExports, () => undefined);
    await verify();
    await panel.getByRole('button', { name: 'Stop' }).click();
    await panel.getByRole('button', { name: 'Verify in this browser' }).waitFor();
    expect(await isGreen()).toBe(false);
    await page.unroute(ofExports);

    // A browser without Ed25519.
    await page.route(/verification-worker/, async (route) => {
      const answer = await route.fetch();
      const body = `crypto.subtle.importKey = () => Promise.reject(new DOMException('no', 'NotSupportedError'));${await answer.text()}`;
      await route.fulfill({ response: answer, body });
    });
    await verify();
    await panel
      .getByRole('alert')
      .getByText(/^This browser cannot verify signatures/)
      .waitFor();
    expect(await isGreen()).toBe(false);
    expect(complaints).toEqual([]);
  });
});
