import { expect, it } from 'vitest';
import { document, startApprovalShop } from '../../helpers/approval-shop.ts';
import { describeInChromium, type OpenPage } from '../../helpers/chromium.ts';

type Shop = Awaited<ReturnType<typeof startApprovalShop>>;

async function consoleOf(openPage: OpenPage, { shop }: Shop, personId: number) {
  const { page, complaints } = await openPage();
  await page.goto(shop.sandbox.makeSignInLink(personId).link);
  await page.waitForURL(/\/console\/development\/data\//);
  page.on('dialog', (dialog) => void dialog.accept());
  return { page, complaints };
}

describeInChromium('rights in the console', (openPage) => {
  it('are drafted, seen as a person, reviewed in sentences and set; a second draft sees the first', async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    const other = await consoleOf(openPage, started, started.shop.access.userId);
    for (const each of [page, other.page]) {
      await each.getByText('A-1', { exact: true }).waitFor();
      await each.keyboard.press('g');
      await each.keyboard.press('r');
      await each.getByRole('combobox', { name: 'Show the rights of' }).selectOption('Support');
    }

    await other.page.getByRole('checkbox', { name: 'Add orders' }).check();
    await page.getByRole('checkbox', { name: 'Edit orders' }).check();
    await page.getByRole('button', { name: /Rules for orders/ }).click();
    const rules = page.getByRole('dialog', { name: 'Rules for orders', exact: true });
    await rules.getByRole('button', { name: 'As JSON' }).click();
    const json = page.getByRole('dialog', { name: 'Rules for orders, as JSON' });
    const text = json.getByRole('textbox');
    const seen = JSON.parse(await text.inputValue()) as Record<string, unknown>;
    expect(seen).toMatchObject({ browse: true, edit: true, actions: { Ship: { trigger: true } } });
    await text.fill('{');
    await json.getByRole('button', { name: 'Use this' }).click();
    await json.getByText(/^This is not JSON/).waitFor();
    const scope = { field: 'status', operator: 'equal', value: 'draft' };
    await text.fill(JSON.stringify({ ...seen, scope }));
    await json.getByRole('button', { name: 'Use this' }).click();
    await rules.getByText('Only records where status equal draft').waitFor();
    await rules.getByRole('button', { name: 'Use this' }).click();
    await page.getByRole('combobox', { name: 'Show the rights of' }).selectOption({ label: 'Bob · bob@example.test' });
    const row = page.getByRole('row', { name: /^orders/ });
    expect(await row.getByRole('cell').allTextContents()).toEqual([
      'some records',
      'some records',
      'some records',
      'no',
      'no',
      'no',
      'Support: some records, 1 action',
    ]);
    // Nobody has other rights so far.
    expect(JSON.stringify((await started.client.rights()).document)).not.toContain('scope');

    await page.keyboard.press('w');
    const review = page.getByRole('dialog', { name: 'Review and save' });
    await review.getByText('Role "Support" may edit "orders"').waitFor();
    const restricting = review.getByRole('region', { name: 'Restricts from now on' });
    await restricting.getByText('Role "Support" has its rights on "orders" only where status equal "draft"').waitFor();
    await review
      .getByText(/last 30 days/)
      .first()
      .waitFor();
    await review.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rights are saved').waitFor();
    expect((await started.client.rights()).document?.roles['Support']?.collections['orders']).toEqual({
      ...seen,
      scope,
    });

    // The page says to whoever began before what changed meanwhile.
    await other.page.getByRole('button', { name: 'Review and save' }).click();
    const second = other.page.getByRole('dialog', { name: 'Review and save' });
    await second.getByText('Somebody has changed the rights since you began').waitFor();
    await second
      .getByRole('region', { name: 'Does not hold any more' })
      .getByText('Role "Support" may edit "orders"')
      .waitFor();
    await second.getByRole('button', { name: 'Cancel' }).click();
    await other.page.getByRole('button', { name: 'Discard the draft' }).click();

    await other.page.getByRole('button', { name: 'The file' }).click();
    const file = other.page.getByRole('dialog', { name: 'The file' });
    await file.getByRole('textbox').fill('{"roles":{"Support":{"collections":{"order":{"browse":true}}}}}');
    await file.getByRole('button', { name: 'Use this' }).click();
    await other.page.getByRole('button', { name: 'Review and save' }).click();
    await second.getByText(/Did you mean "orders"/).waitFor();
    await second.getByText('No administrator could browse any collection').waitFor();
    await second.getByText('The role Administrators is not named (1 person).').waitFor();
    expect(await second.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);

    // A role is renamed for whoever has it, and the page stays with it.
    await page.getByRole('combobox', { name: 'Show the rights of' }).selectOption('Support');
    await page.getByRole('button', { name: 'Rename the role' }).click();
    const renaming = page.getByRole('dialog', { name: 'Rename the role Support' });
    await renaming.getByLabel('Name of the role').fill('Managers');
    await renaming.getByText('There is a role Managers already.').waitFor();
    await renaming.getByLabel('Name of the role').fill('Help desk');
    await renaming.getByRole('button', { name: 'Use this' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await review.getByText('The role Support is called Help desk, and its people keep it.').waitFor();
    await review.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The draft is not in force yet').waitFor({ state: 'hidden' });
    await page.reload();
    const shown = page.getByRole('combobox', { name: 'Show the rights of' });
    await expect.poll(() => shown.inputValue()).toBe('role Help desk');
    await page.getByRole('button', { name: 'Remove the role' }).click();
    const removing = page.getByRole('dialog', { name: 'Remove the role Help desk' });
    await removing.getByText('Bob · bob@example.test').waitFor();
    await removing.getByRole('button', { name: 'Cancel' }).click();
    await shown.selectOption('Administrators');
    await page.getByRole('button', { name: 'Remove the role' }).click();
    await page.getByText('No administrator could browse any collection').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    const without = await consoleOf(openPage, started, bob.id);
    expect(await without.page.getByRole('link', { name: 'Rights' }).count()).toBe(0);
    expect([...complaints, ...other.complaints]).toEqual([]);
  });

  it('have forms for scopes, segments, charts and addresses, which keep what they do not show', {
    tags: 'long',
  }, async () => {
    const started = await startApprovalShop();
    const { document, revision } = await started.client.rights();
    const deep = { field: 'customer:region:name', operator: 'equal', value: 'north' };
    const chart = { type: 'Value', sourceCollectionName: 'orders', aggregator: 'Count' };
    const teams = { Operations: {}, Night: { collections: { customers: { scope: deep } }, charts: [chart] } };
    await started.client.replaceRights({
      ...{ base: revision, allowUnknown: true },
      document: { ...document, roles: document?.roles ?? {}, teams },
    });
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.goto(new URL('/console/development/charts', page.url()).href);
    const shown = page.getByRole('figure').filter({ hasText: 'orders: count' });
    await shown.getByText(/^\d+$/).waitFor();
    await page.getByText('For Night', { exact: true }).waitFor();
    await page.goto(new URL('/console/development/rights', page.url()).href);
    const sees = page.getByRole('region', { name: 'What teams see' });
    await sees.getByRole('button', { name: 'Records of customers for Night: some records' }).click();
    const json = page.getByRole('dialog', { name: 'Records of customers for Night' });
    await json.getByText(/A form cannot show these conditions/).waitFor();
    await json.getByRole('button', { name: 'Cancel' }).click();

    await sees.getByRole('button', { name: 'Records of orders for Night: all records' }).click();
    const scope = page.getByRole('dialog', { name: 'Records of orders for Night' });
    await scope.getByRole('button', { name: 'Add a condition' }).click();
    await scope.getByRole('combobox', { name: 'Field' }).selectOption('status');
    await scope.getByText('A condition has no value yet.').waitFor();
    expect(await scope.getByRole('button', { name: 'Use this' }).isDisabled()).toBe(true);
    await scope.getByRole('combobox', { name: /^What it is compared with/ }).selectOption('{{currentUser.tags.…}}');
    await scope.getByRole('textbox', { name: 'Name for status' }).fill('state');
    await scope.getByRole('button', { name: 'Use this' }).click();
    await sees.getByRole('button', { name: 'Records of orders for Night: some records' }).waitFor();

    await sees.getByRole('combobox', { name: 'Collection' }).selectOption('orders');
    await sees.getByRole('textbox', { name: 'Query', exact: true }).fill('select id from orders');
    await sees.getByRole('button', { name: 'Add the query' }).click();
    await sees.getByRole('checkbox', { name: 'Night may run select id from orders' }).check();
    await sees.getByRole('checkbox', { name: /^Night sees/ }).uncheck();
    await sees.getByRole('button', { name: 'Add a chart' }).click();
    const defining = page.getByRole('dialog', { name: 'New chart' });
    await defining.getByLabel('Type').selectOption('Pie');
    await defining.getByLabel('Collection').selectOption('orders');
    await defining.getByLabel('What is computed').selectOption('Sum');
    await defining.getByLabel('Field that is computed').selectOption('total');
    await defining.getByText('Still missing, or not valid: Grouped by.').waitFor();
    await defining.getByLabel('Grouped by').selectOption('status');
    // Without a name, it is called what it shows.
    const name = defining.getByLabel('Name', { exact: true });
    await expect.poll(() => name.getAttribute('placeholder')).toBe('orders: sum of total by status');
    await defining.getByText('Choose a team: the rights keep a chart only with the teams that see it.').waitFor();
    expect(await defining.getByRole('button', { name: 'Use this' }).isDisabled()).toBe(true);
    const take = defining.getByRole('button', { name: 'Use this' });
    const primary = 'getComputedStyle(document.querySelector("dialog[open] [data-look=primary]")).backgroundColor';
    const colour = () => page.evaluate(primary);
    const whileDisabled = await colour();
    await defining.getByRole('checkbox', { name: 'Night' }).check();
    await expect.poll(colour).not.toBe(whileDisabled);
    await take.click();
    expect(await sees.getByRole('checkbox', { name: 'Night sees orders: sum of total by status' }).isChecked()).toBe(
      true,
    );
    await sees
      .getByRole('row', { name: /^orders: count/ })
      .getByText('No team is ticked, so it is not saved.')
      .waitFor();

    const addresses = page.getByRole('region', { name: 'Addresses' });
    await addresses.getByRole('textbox', { name: 'Address or network' }).fill('127.0.0.0/8');
    await addresses.getByRole('button', { name: 'Add the address' }).click();
    await addresses.getByRole('textbox', { name: 'Address or network' }).fill('10.0.0.1');
    await addresses.getByRole('textbox', { name: 'Last address of a range' }).fill('10.0.0.40');
    await addresses.getByRole('button', { name: 'Add the address' }).click();
    await addresses.getByText('10.0.0.1 – 10.0.0.40').waitFor();

    await page.getByRole('button', { name: 'The file' }).click();
    const file = page.getByRole('dialog', { name: 'The file' });
    expect(JSON.parse(await file.getByRole('textbox').inputValue())).toEqual({
      roles: document?.roles,
      teams: {
        Operations: {},
        Night: {
          collections: {
            customers: { scope: deep },
            orders: {
              scope: { field: 'status', operator: 'equal', value: '{{currentUser.tags.state}}' },
              segments: [{ query: 'select id from orders' }],
            },
          },
          charts: [
            {
              ...{ type: 'Pie', sourceCollectionName: 'orders' },
              ...{ aggregator: 'Sum', aggregateFieldName: 'total', groupByFieldName: 'status' },
            },
          ],
        },
      },
      ipRules: ['127.0.0.0/8', { from: '10.0.0.1', to: '10.0.0.40' }],
    });
    await file.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page
      .getByRole('dialog', { name: 'Review and save' })
      .getByText(/status equal "\{\{currentUser\.tags\.state\}\}"/)
      .waitFor();
    await page
      .getByRole('dialog', { name: 'Review and save' })
      .getByText('Team "Night" may see a chart of "orders": sum of total by status')
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it('get a chart where the charts are, by whoever may set rights', { tags: 'long' }, async () => {
    const started = await startApprovalShop();
    const { revision } = await started.client.rights();
    await started.client.replaceRights({ base: revision, document: { roles: document.roles } });
    const bob = await started.join('Bob', 'Support');
    const admin = await consoleOf(openPage, started, started.shop.access.userId);
    const person = await consoleOf(openPage, started, bob.id);
    const goTo = ({ page }: typeof admin, place: string) =>
      page.goto(new URL(`/console/development/${place}`, page.url()).href);
    await goTo(person, 'charts');
    await person.page.getByText('An administrator of the project can add one here.').waitFor();
    expect(await person.page.getByRole('button', { name: 'Add a chart' }).count()).toBe(0);

    await admin.page.getByRole('link', { name: 'Charts', exact: true }).click();
    await admin.page.getByText('There are no charts yet').waitFor();
    await admin.page.getByRole('button', { name: 'Add a chart' }).click();
    const form = admin.page.getByRole('dialog', { name: 'New chart' });
    await form.getByLabel('Name', { exact: true }).fill('Orders by status');
    await form.getByLabel('Type').selectOption('Pie');
    await form.getByLabel('Collection').selectOption('orders');
    await form.getByLabel('Grouped by').selectOption('status');
    await form.getByRole('button', { name: 'Use this' }).click();
    const review = admin.page.getByRole('dialog', { name: 'Review and save' });
    await review
      .getByText('Team "Operations" may see the chart "Orders by status" of "orders": count by status')
      .waitFor();
    await review.getByRole('button', { name: 'Save' }).click();
    const chartOf = ({ page }: typeof admin) =>
      page
        .getByRole('figure')
        .filter({ hasText: 'Orders by status' })
        .getByRole('listitem')
        .filter({ hasText: 'draft' });
    await chartOf(admin).waitFor();
    // What opened the dialogs is gone, and the focus is on the title of the screen.
    await expect.poll(() => admin.page.locator(':focus').textContent()).toBe('Charts');
    await person.page.reload();
    await chartOf(person).waitFor();
    await person.page.getByRole('link', { name: 'Charts', exact: true }).waitFor();
    await admin.page.getByRole('button', { name: 'Change the chart Orders by status' }).click();
    const changing = admin.page.getByRole('dialog', { name: 'Change the chart' });
    expect(await changing.getByLabel('Grouped by').inputValue()).toBe('status');
    await changing.getByText(/^A team that is made later sees the chart once/).waitFor();
    await changing.getByLabel('Name', { exact: true }).fill('States');
    await changing.getByRole('button', { name: 'Use this' }).click();
    await review
      .getByRole('region', { name: 'Is allowed from now on' })
      .getByText(/the chart "States"/)
      .waitFor();
    await review.getByRole('button', { name: 'Save' }).click();
    await admin.page.getByRole('button', { name: 'Remove the chart States' }).click();
    await review
      .getByRole('region', { name: 'Does not hold any more' })
      .getByText(/the chart "States"/)
      .waitFor();
    await review.getByRole('button', { name: 'Save' }).click();
    await admin.page.getByText('There are no charts yet').waitFor();

    // A team that is made later sees nothing, and the page of the rights says so.
    await started.client.createTeam('Late');
    await goTo(admin, 'rights');
    const sees = admin.page.getByRole('region', { name: 'What teams see' });
    const notNamed = sees.getByText('The rights do not name the team Late, so its people see nothing.');
    await notNamed.waitFor();
    await sees.getByRole('button', { name: 'Let Late see all that its people may see' }).click();
    await notNamed.waitFor({ state: 'hidden' });
    await sees.getByRole('columnheader', { name: 'Late' }).first().waitFor();

    expect([...admin.complaints, ...person.complaints]).toEqual([]);
  });

  it('hide and mask fields by a form, without JSON and without a mouse', { tags: 'long' }, async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const { document, revision } = await started.client.rights();
    const support = document?.roles['Support'];
    const orders = { ...support?.collections['orders'], fields: { lost: { write: false } } };
    await started.client.replaceRights({
      ...{ base: revision, allowUnknown: true },
      document: { roles: { ...document?.roles, Support: { collections: { ...support?.collections, orders } } } },
    });
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.goto(new URL('/console/development/rights', page.url()).href);
    await page.getByRole('combobox', { name: 'Show the rights of' }).selectOption('Support');
    await page.getByRole('button', { name: /Rules for orders/ }).focus();
    await page.keyboard.press('Enter');
    const rules = page.getByRole('dialog', { name: 'Rules for orders' });
    await rules.getByText('lost is not written').waitFor();
    await rules.getByRole('button', { name: 'Fields: Change' }).press('Enter');
    const fields = page.getByRole('dialog', { name: 'Fields of orders for Support' });
    await fields.getByText('Without a rule, Support sees each field and filters by it. It writes none').waitFor();
    await fields.getByText('The key (id) is always shown with a record.').waitFor();
    await fields.getByRole('combobox', { name: 'Values of total' }).press('ArrowDown');
    const ref = fields.getByRole('combobox', { name: 'Values of ref' });
    await ref.selectOption('Only that there is a value');
    expect(await fields.getByRole('checkbox', { name: 'Filter by ref' }).isDisabled()).toBe(true);
    await fields.getByRole('checkbox', { name: 'Write status' }).press('Space');
    await fields.getByRole('button', { name: 'Remove the rule for lost' }).press('Enter');
    expect(await fields.getByRole('region', { name: 'Rules without an effect' }).count()).toBe(0);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    expect(await page.evaluate('document.querySelector("dialog").scrollWidth')).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 1280, height: 720 });
    await fields.getByText(/^The role does not filter by it, because that tells what the mask hides/).waitFor();
    await fields.getByRole('button', { name: 'Use this' }).press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Fields: Change');
    await rules.getByText('total is hidden, ref is masked (present), status is not written').waitFor();
    await rules.getByRole('button', { name: 'Use this' }).press('Enter');

    await page.keyboard.press('w');
    const review = page.getByRole('dialog', { name: 'Review and save' });
    await review.getByText('Role "Support" does not see "total" of "orders"').waitFor();
    await review.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('The rights are saved').waitFor();
    expect((await started.client.rights()).document?.roles['Support']?.collections['orders']?.fields).toEqual({
      ...{ total: false, ref: { read: 'present' }, status: { write: false } },
    });
    const his = await consoleOf(openPage, started, bob.id);
    await his.page.getByRole('columnheader', { name: 'ref' }).waitFor();
    await his.page.getByText('···', { exact: true }).first().waitFor();
    expect(await his.page.getByRole('columnheader', { name: 'total' }).count()).toBe(0);
    expect(await his.page.getByText('A-1', { exact: true }).count()).toBe(0);
    expect([...complaints, ...his.complaints]).toEqual([]);
  });

  it('say by a form who runs and approves an action, on which records', { tags: 'long' }, async () => {
    const started = await startApprovalShop();
    const { document, revision } = await started.client.rights();
    const managers = document?.roles['Managers']?.collections['orders'];
    const lost = { ...managers, actions: { ...managers?.actions, Lost: { trigger: true } } };
    await started.client.replaceRights({
      ...{ base: revision, allowUnknown: true },
      document: { roles: { ...document?.roles, Managers: { collections: { orders: lost } } } },
    });
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.goto(new URL('/console/development/rights', page.url()).href);
    const rules = page.getByRole('dialog', { name: 'Rules for orders' });
    const open = async (role: string) => {
      await page.getByRole('combobox', { name: 'Show the rights of' }).selectOption(role);
      await page.getByRole('button', { name: /Rules for orders/ }).click();
      return rules.getByRole('region', { name: 'Actions' });
    };
    const take = rules.getByRole('button', { name: 'Use this' });
    const ofSupport = await open('Support');
    await ofSupport.getByText('runs it, with an approval').waitFor();
    // One dialog has the whole rule: each action opens in its place, with a first condition begun.
    await ofSupport.getByRole('button', { name: 'Ship: Change' }).click();
    const ship = ofSupport.getByRole('region', { name: 'Ship' });
    await ship.getByRole('combobox', { name: 'A run needs an approval' }).selectOption('on some records');
    expect(await page.getByRole('dialog').count()).toBe(1);
    await ship.getByText('A condition is missing, or has no value yet.').waitFor();
    expect(await take.isDisabled()).toBe(true);
    const condition = ship.getByRole('region', { name: 'A run needs an approval' });
    await condition.getByRole('combobox', { name: 'Field' }).selectOption('total');
    await condition.getByRole('textbox', { name: 'Value: total' }).fill('20');
    await condition.getByRole('combobox', { name: 'Operator' }).selectOption('greater than');
    await ofSupport.getByText('runs it, with an approval where total greater than 20').waitFor();
    await take.click();

    const ofManagers = await open('Managers');
    await ofManagers.getByText('may not run it; approves it where status equal draft').waitFor();
    await ofManagers.getByRole('button', { name: 'Remove the rule for Lost' }).click();
    await ofManagers.getByRole('button', { name: 'Ship: Change' }).click();
    await ofManagers.getByRole('checkbox', { name: /^May approve own requests/ }).check();
    await take.click();

    await page.getByRole('button', { name: 'Review and save' }).click();
    const review = page.getByRole('dialog', { name: 'Review and save' });
    await review.getByText('Role "Managers" may approve own requests for "Ship" of "orders"').waitFor();
    await review.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rights are saved').waitFor();
    const saved = (await started.client.rights()).document?.roles;
    const over = { where: { field: 'total', operator: 'greater_than', value: '20' } };
    expect(saved?.['Support']?.collections['orders']?.actions).toEqual({
      Ship: { trigger: true, needsApproval: over },
    });
    expect(saved?.['Managers']?.collections['orders']?.actions).toEqual({
      Ship: { ...managers?.actions?.['Ship'], selfApprove: true },
    });
    expect(complaints).toEqual([]);
  });

  it('are explained beside a refusal, with the line of the file for whoever may read it', {
    tags: 'long',
  }, async () => {
    const started = await startApprovalShop();
    const { page, complaints } = await consoleOf(openPage, started, started.shop.access.userId);
    await page.goto(new URL('/console/development/data/orders/1', page.url()).href);
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('ref').fill('A-9');
    await page.getByText('1 field changed').waitFor();
    const { document, revision } = await started.client.rights();
    const seeing = { browse: true, read: true };
    const roles = { ...document?.roles, Administrators: { collections: { '*': seeing } } };
    await started.client.replaceRights({ document: { ...document, roles }, base: revision, allowLockout: false });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Why?' }).click();
    const why = page.getByRole('dialog', { name: 'Your rights on orders' });
    const row = why.getByRole('row', { name: /^Edit/ });
    await row.getByText('permissions.json, line 5: roles › Administrators › collections › *').waitFor();
    expect(await row.getByRole('cell').first().textContent()).toBe('no');
    await why.getByRole('link', { name: 'Open the rights' }).click();
    await page.getByRole('heading', { name: 'Rights' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('say which values a write needs to stay within a scope, and why', { tags: 'long' }, async () => {
    const started = await startApprovalShop();
    const { Support, ...others } = document.roles;
    const conditions = [
      { field: 'status', operator: 'in', value: ['draft'] },
      { field: 'total', operator: 'less_than', value: 5000 },
    ];
    const orders = { ...Support.collections.orders, edit: true, scope: { aggregator: 'and', conditions } };
    await started.setRights({ roles: { ...others, Support: { collections: { orders } } } });
    const bob = await started.join('Bob', 'Support');
    const { page, complaints } = await consoleOf(openPage, started, bob.id);
    await page.goto(new URL('/console/development/data/orders/2', page.url()).href);
    await page.getByRole('button', { name: 'Edit' }).click();
    // What the scope does not allow is not offered.
    const offered = await page.getByLabel('status').getByRole('option').allTextContents();
    expect(offered.filter((text) => text !== '')).toEqual(['draft']);
    await page.getByRole('textbox', { name: 'total' }).fill('5000');
    await page.getByRole('button', { name: 'Save' }).click();
    const needed = 'status must be one of "draft" and total must be less than 5000.';
    await page.getByText(new RegExp(`would be outside of what you may see.* There, ${needed}$`)).waitFor();
    await page.getByRole('button', { name: 'Copy what you typed' }).waitFor();
    await page.getByRole('button', { name: 'Why?' }).click();
    const why = page.getByRole('dialog', { name: 'Your rights on orders' });
    await why.getByText(`those that fit: ${needed}`).waitFor();
    expect(await why.getByRole('row', { name: /^Edit/ }).getByRole('cell').first().textContent()).toBe('yes');
    expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
  });

  it('are listed for whoever asks what they may do, on a list and on a record, with names of roles', {
    tags: 'long',
  }, async () => {
    const started = await startApprovalShop();
    const bob = await started.join('Bob', 'Support');
    const { page, complaints } = await consoleOf(openPage, started, bob.id);
    for (const place of ['orders', 'orders/1']) {
      await page.goto(new URL(`/console/development/data/${place}`, page.url()).href);
      await page.getByRole('button', { name: 'What may I do here?' }).click();
      const rights = page.getByRole('dialog', { name: 'Your rights on orders' });
      const edit = rights.getByRole('row', { name: /^Edit/ }).getByRole('cell');
      await edit.first().waitFor();
      expect(await edit.allTextContents()).toEqual(['no', 'only role "Administrators" may']);
      expect(
        await rights
          .getByRole('row', { name: /^Delete/ })
          .getByRole('cell')
          .allTextContents(),
      ).toEqual(['no', 'no role may']);
      const ship = rights.getByRole('row', { name: 'Run "Ship"' });
      expect(await ship.getByRole('cell').first().textContent()).toBe('yes');
      await ship.getByText('It waits until somebody grants an approval.').waitFor();
      await rights.getByText('An administrator of the project can give you a right that is missing.').waitFor();
      await rights.getByRole('button', { name: 'Close' }).click();
    }
    expect(complaints).toEqual([]);
  });
});
