import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { describeInChromium, type OpenPage } from '../../helpers/chromium.ts';
import { type ServedTeam, startServedTeam } from '../../helpers/served-team.ts';
import { firstAdministrator } from '../../helpers/team-server.ts';

const { password } = firstAdministrator;

const codeWith = (more: string) => `
export default (agent) => agent.customizeCollection('orders', (orders) => orders
  .keepHistory()
  .addAction('Refund', {
    scope: 'Single',
    form: [{ type: 'Number', label: 'Amount', isRequired: true }],
    execute: async (context, result) => {
      await context.collection.update(context.filter, { note: 'refunded' });
      return result.success('Refunded ' + context.formValues['Amount'] + '.');
    },
  })${more});
`;
const versions = {
  Refunds: codeWith(''),
  Urgency: codeWith(".addSegment('Urgent', { field: 'status', operator: 'equal', value: 'pending' })"),
};

const seeing = { browse: true, read: true };
/** Support refunds paid orders, and only with an approval. */
const rights = {
  roles: {
    Administrators: { collections: { '*': { ...seeing, edit: true, actions: { '*': { approve: true } } } } },
    Support: {
      collections: {
        orders: {
          ...seeing,
          edit: true,
          actions: {
            Refund: { trigger: { where: { field: 'status', operator: 'equal', value: 'paid' } }, needsApproval: true },
          },
        },
      },
    },
    Leads: { collections: { orders: seeing } },
  },
};

/** The first order of a status. */
async function orderThatIs(status: string, { database }: ServedTeam): Promise<string> {
  const connection = await openSqlite(database);
  try {
    const [order] = connection.all(`select id from orders where status = '${status}' order by id`);
    return String(order?.['id']);
  } finally {
    connection.close();
  }
}

async function type(page: Page, label: RegExp | string, text: string): Promise<void> {
  await page.getByLabel(label).focus();
  await page.keyboard.type(text);
}

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

async function signIn(page: Page): Promise<void> {
  await type(page, 'Password', password);
  await press(page, 'Enter');
  // Nobody has started an agent of "development", which is the environment of the session.
  await page.waitForURL(/\/console\/production\/data\//);
  await page.getByRole('gridcell').first().waitFor();
}

/** Press a button with the keyboard, once it can be pressed. */
async function enter(button: Locator): Promise<void> {
  await expect.poll(() => button.isEnabled()).toBe(true);
  await button.press('Enter');
}

/** Invite somebody with the keyboard; resolves to the link. */
async function invite(page: Page, email: string, role: string, level: string): Promise<string> {
  await press(page, 'g', 'p');
  await page.getByRole('heading', { name: 'People' }).waitFor();
  await press(page, 'n');
  const dialog = page.getByRole('dialog', { name: 'Invite' });
  await dialog.getByRole('textbox', { name: 'E-mail' }).focus();
  await page.keyboard.type(email);
  await press(page, 'Tab');
  await page.keyboard.type(level);
  await dialog.getByRole('checkbox', { name: role }).focus();
  await press(page, 'Space', 'Enter');
  const invited = page.getByRole('dialog', { name: `${email} is invited` });
  const text = await invited.getByRole('status').last().textContent();
  await press(page, 'Escape');
  await page.getByText(new RegExp(`${email} · .*role: ${role}`)).waitFor();
  return text ?? '';
}

/** Join by the link of an invitation, and go on from there. */
async function joinIn(openPage: OpenPage, link: string, firstName: string, email: string) {
  const opened = await openPage();
  await opened.page.goto(link);
  await opened.page.getByText(`invites ${email} to the project "shop".`).waitFor();
  await type(opened.page, 'First name', firstName);
  await type(opened.page, 'Last name', 'Example');
  await type(opened.page, /^Password/, password);
  await press(opened.page, 'Enter');
  // Whoever has joined does not give the password again.
  await opened.page.getByRole('link', { name: 'Open the console' }).focus();
  await press(opened.page, 'Enter');
  await opened.page.getByRole('button', { name: /^Go to/ }).waitFor();
  return opened;
}

/** Open a record and the form of "Refund" with the keyboard, and run it. */
async function refund(page: Page, id: string, amount: string) {
  await press(page, 'Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await palette.getByRole('combobox').waitFor();
  await page.keyboard.type('orders');
  await press(page, 'Enter');
  await palette.waitFor({ state: 'hidden' });
  await page.getByRole('grid', { name: 'orders' }).waitFor();
  await page.goto(new URL(`/console/production/data/orders/${id}`, page.url()).href);
  await page.getByRole('definition').first().waitFor();
  await press(page, '.');
  await page.getByRole('dialog', { name: 'Actions' }).waitFor();
  await press(page, 'Enter');
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.getByLabel('Amount').focus();
  await page.keyboard.type(amount);
  await press(page, 'Enter');
  return dialog;
}

/** Whether the agent lets the person of a page edit orders. */
const mayEdit = `fetch('/console/agent/production/_internal/schema/orders?timezone=UTC', { headers: { 'service-client': 'console' } })
  .then((answer) => answer.json())
  .then(({ rights }) => rights.edit)`;

describeInChromium('a day of a team in the console', (openPage) => {
  it('invites, restricts, refuses, approves, reads who did it, verifies the log and rolls back, by keyboard', {
    tags: 'long',
  }, async () => {
    const team = await startServedTeam(versions);
    await team.client.replaceRights({ document: rights, base: 0 });
    const [paid, shipped] = [await orderThatIs('paid', team), await orderThatIs('shipped', team)];
    const ada = await openPage();
    await ada.page.goto(team.url);
    await type(ada.page, 'E-mail', firstAdministrator.email);
    await signIn(ada.page);
    await ada.page.getByText('Urgent', { exact: true }).waitFor();
    const ofSam = await invite(ada.page, 'sam@example.test', 'Support', 'User');
    const ofLea = await invite(ada.page, 'lea@example.test', 'Leads', 'Admin');
    const sam = await joinIn(openPage, ofSam, 'Sam', 'sam@example.test');

    // An environment that nobody serves says so within the frame, and leads to one that somebody does.
    await sam.page.goto(`${team.url}/console/development`);
    await sam.page.getByText('Nothing serves development').waitFor();
    await sam.page.getByRole('link', { name: 'Open production' }).focus();
    await press(sam.page, 'Enter');
    await sam.page.getByRole('gridcell').first().waitFor();

    // A refund of an order that is not paid is refused, and says why.
    const refused = await refund(sam.page, shipped, '5');
    await enter(refused.getByRole('button', { name: 'Why?' }));
    const why = sam.page.getByRole('dialog', { name: 'Your rights on orders' });
    await why.getByText('Run "Refund"').waitFor();
    await press(sam.page, 'Escape');
    // The form holds an amount, so the key asks first.
    sam.page.once('dialog', (question) => void question.accept());
    await press(sam.page, 'Escape');
    await refused.waitFor({ state: 'hidden' });

    // One person asks, the other learns about it at once, and grants it.
    const asked = await refund(sam.page, paid, '5');
    await asked.getByLabel('Why it should run').waitFor();
    await sam.page.keyboard.type('It broke on the way.');
    await enter(asked.getByRole('button', { name: 'Ask for an approval' }));
    await sam.page.getByText('Request 1 waits for an approval').waitFor();
    await press(sam.page, 'g', 'a');
    await sam.page.getByRole('link', { name: /^Refund/ }).press('Enter');
    await sam.page.getByText('waits', { exact: true }).waitFor();
    await ada.page.getByRole('link', { name: 'Approvals 1' }).waitFor();
    await press(ada.page, 'g', 'a');
    await ada.page.getByRole('link', { name: /^Refund/ }).press('Enter');
    await ada.page.getByText('It broke on the way.').waitFor();
    await expect.poll(() => ada.page.getByRole('button', { name: 'Grant' }).isEnabled()).toBe(true);
    await press(ada.page, 'a');
    const grant = ada.page.getByRole('dialog', { name: 'Grant' });
    await grant.getByText('in the name of Sam').waitFor();
    await ada.page.keyboard.type('Go.');
    await enter(grant.getByRole('button', { name: 'Grant' }));
    await ada.page.getByText('Refunded 5.').first().waitFor();
    await press(ada.page, 'Escape');
    await sam.page.getByText('granted · the action succeeded').waitFor();

    // The rights are restricted while a form is open: what was typed stays, and the refusal says why.
    await sam.page.goto(`${team.url}/console/production/data/orders/${paid}`);
    await sam.page.getByRole('definition').getByText('refunded', { exact: true }).waitFor();
    await press(sam.page, 'e');
    const note = sam.page.getByRole('textbox', { name: 'note', exact: true });
    await note.fill('typed by Sam');
    await press(ada.page, 'g', 'r');
    await ada.page.getByRole('combobox', { name: 'Show the rights of' }).selectOption('Support');
    await ada.page.getByRole('checkbox', { name: 'Edit orders' }).focus();
    await press(ada.page, 'Space');
    await ada.page
      .getByRole('combobox', { name: 'Show the rights of' })
      .selectOption({ label: 'Sam Example · sam@example.test' });
    const cells = ada.page.getByRole('row', { name: /^orders/ }).getByRole('cell');
    await expect.poll(async () => (await cells.allTextContents()).slice(0, 3)).toEqual(['yes', 'yes', 'no']);
    await press(ada.page, 'w');
    const review = ada.page.getByRole('dialog', { name: 'Review and save' });
    const taken = review.getByRole('region', { name: 'Does not hold any more' });
    await taken.getByText('Role "Support" may edit "orders"').waitFor();
    await enter(review.getByRole('button', { name: 'Save' }));
    await ada.page.getByText('The rights are saved').waitFor();
    await expect.poll(() => sam.page.evaluate(mayEdit)).toBe(false);
    await enter(sam.page.getByRole('button', { name: 'Save' }));
    await sam.page.getByRole('button', { name: 'Why?' }).waitFor();
    expect(await note.inputValue()).toBe('typed by Sam');

    // Somebody else reads who did it, and has the browser verify the log.
    const lea = await joinIn(openPage, ofLea, 'Lea', 'lea@example.test');
    await lea.page.getByRole('gridcell').first().waitFor();
    await press(lea.page, 'g', 'l');
    const rows = lea.page.getByRole('grid', { name: 'Activity' }).getByRole('row');
    const refunds = rows.filter({ hasText: 'Refund' });
    await expect
      .poll(async () => {
        await press(lea.page, 'r');
        return (await refunds.allTextContents()).join('\n');
      })
      .toMatch(/Sam Example.*done.*orders/);
    await enter(lea.page.getByRole('button', { name: 'Verify', exact: true }));
    await enter(lea.page.getByRole('button', { name: 'Verify in this browser' }));
    await lea.page.getByText(/^The log holds: \d+ rows, from 1 to \d+/).waitFor();

    // The version of the morning comes back.
    await press(lea.page, 'g', 'v');
    await enter(lea.page.getByRole('button', { name: 'Roll back' }));
    const back = lea.page.getByRole('dialog', { name: 'Roll back to version 1' });
    await back
      .getByText(/Urgent/)
      .first()
      .waitFor();
    await enter(back.getByRole('button', { name: 'Roll back' }));
    await back.getByText('Version 1 is live', { exact: true }).waitFor();
    await back.getByText('Version 1 is live on one host.').waitFor();
    await press(lea.page, 'Escape');
    await press(ada.page, 'g', 'd');
    await ada.page.getByRole('grid').waitFor();
    await expect.poll(() => ada.page.getByText('Urgent', { exact: true }).count()).toBe(0);
    // The page says "development" has no agent, which React reports as an error that it has caught.
    const complaints = [ada, sam, lea].flatMap((each) => each.complaints);
    expect(complaints.filter((text) => !text.includes('does not reach the agent'))).toEqual([]);
  });
});
