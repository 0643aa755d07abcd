import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderRecords } from '#cli/rendering/render-run';
import { createTerminal } from '#cli/terminal/terminal';
import type { FormField } from '#flows/run/form-field-values';
import { countRecords, type ListQuestion, listRecords } from '#flows/run/query-records';
import { type ActionOrder, keepFile, runAction } from '#flows/run/run-action';
import { runChart } from '#flows/run/show-chart';
import { processEnvironment } from '#node/environment/process-environment';
import { startDevSession } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const code = `export default (agent) => agent
  .addChart('Orders', async (context, result) => {
    const [row] = await context.dataSource.getCollection('orders').aggregate({}, { operation: 'Count' });
    return result.value(Number(row.value));
  })
  .customizeCollection('orders', (orders) => orders
    .addChart('Total', async (context, result) => result.value(Number((await context.getRecord(['total'])).total)))
    .addAction('Refund order', {
      scope: 'Single',
      form: [
        { type: 'Number', label: 'Amount', isRequired: true },
        { type: 'Enum', label: 'Reason', enumValues: ['late', 'other'], isRequired: true },
        { type: 'String', label: 'Details', isRequired: true, if: (context) => context.formValues.Reason === 'other' },
      ],
      execute: async (context, result) => {
        const { Amount, Reason, Details } = context.formValues;
        if (Amount > 100) return result.error('That is too much.');
        return result.success(['Refunded', await context.getRecordId(), typeof Amount, Amount, Reason, Details].join(' '));
      },
    })
    .addAction('Pass on', {
      scope: 'Single',
      form: [{ type: 'Collection', collectionName: 'customers', label: 'To', isRequired: true }],
      execute: async (context, result) => result.success('To ' + JSON.stringify(context.formValues.To)),
    })
    .addAction('Attach', {
      scope: 'Single',
      form: [
        { type: 'File', label: 'Invoice', isRequired: true },
        { type: 'FileList', label: 'Photos' },
        { type: 'Dateonly', label: 'Day' },
        { type: 'Date', label: 'Moment' },
        { type: 'Time', label: 'Hour' },
      ],
      execute: async (context, result) => {
        const { Invoice, Photos, Day } = context.formValues;
        const files = [Invoice, ...(Photos ?? [])];
        return result.success(files.map(({ name, mimeType, buffer }) => name + ' ' + mimeType + ' ' + buffer.length).join(', '));
      },
    })
    .addAction('Export', {
      scope: 'Global',
      generateFile: true,
      execute: async (context, result) => result.file('a;b', 'orders.csv', 'text/csv'),
    }));`;

const asker = {
  developer: { name: 'Test Developer', email: 'developer@test.local' },
  signal: new AbortController().signal,
  timezone: 'UTC',
};

async function startShop() {
  const root = await createShopProject();
  await writeFile(path.join(root, 'src/index.ts'), code);
  await startDevSession(root);
  const context = flowContext(root);
  const list = (change: Partial<ListQuestion>) =>
    listRecords(context, {
      ...asker,
      folder: root,
      collection: 'orders',
      filters: [],
      fields: [],
      page: { size: 2, number: 1 },
      ...change,
    });
  const act = (action: string, change: Partial<ActionOrder> = {}) =>
    runAction(context, {
      ...asker,
      folder: root,
      collection: 'orders',
      action,
      ids: ['1'],
      values: new Map(),
      askFor: async () => Promise.reject(new Error('nobody is there')),
      ...change,
    });
  return { root, context, list, act };
}

describe('run, with the agent of a dev session', () => {
  it('lists and counts what filters, search and rights let through', async () => {
    const { root, context, list } = await startShop();
    const { records } = await list({ fields: ['id', 'status', 'customer:tier'], filters: ['status=paid', 'id>10'] });
    expect(records).toHaveLength(2);
    for (const record of records) {
      expect(record).toEqual({
        id: expect.anything(),
        status: 'paid',
        customer: { tier: expect.any(String) },
      });
      expect(Number(record['id'])).toBeGreaterThan(10);
    }
    const chosen = await list({ fields: ['customer:email', 'status', 'customer:tier'], sort: 'id' });
    for (const record of chosen.records) {
      expect(record).toEqual({
        customer: { email: expect.any(String), tier: expect.any(String) },
        status: expect.any(String),
      });
    }
    const [titles] = renderRecords(
      chosen,
      createTerminal(processEnvironment, { isJson: false, hasColor: false }),
    ).split('\n');
    expect(titles?.trim().split(/\s{2,}/)).toEqual(['customer:email', 'status', 'customer:tier']);
    const count = (filters: readonly string[]) =>
      countRecords(context, { ...asker, folder: root, collection: 'orders', filters });
    const [all, paid, others] = await Promise.all([count([]), count(['status=paid']), count(['status!=paid'])]);
    expect((paid.count ?? 0) + (others.count ?? 0)).toBe(all.count);
    const [after, before] = await Promise.all([count(['ordered_at>2025-01-01']), count(['ordered_at<2025-01-01'])]);
    expect([after.count, before.count]).not.toContain(0);
    expect((after.count ?? 0) + (before.count ?? 0)).toBe(all.count);
    await expect(count(['sttus=paid'])).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: expect.stringContaining('sttus'),
    });
  });

  it('lists the fields of the collection, and none of related records, where nobody chooses', async () => {
    const { list } = await startShop();
    const { records } = await list({});
    expect(records[0]).toMatchObject({ id: 1, customer_id: expect.any(Number), status: expect.any(String) });
    expect(records[0]).not.toHaveProperty('customer');
  });

  it('tells a collection that does not exist, and the name that is near', async () => {
    const { root, context, list } = await startShop();
    const absent = { code: 'USAGE_INVALID', message: 'There is no collection "xyzzy".' };
    await expect(list({ collection: 'xyzzy' })).rejects.toMatchObject(absent);
    const count = countRecords(context, { ...asker, folder: root, collection: 'xyzzy', filters: [] });
    await expect(count).rejects.toMatchObject(absent);
    await expect(list({ collection: 'ordesr' })).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean "orders"?'),
    });
  });

  it('takes the id of a record as a text, whatever the key of its collection is', async () => {
    const { act } = await startShop();
    expect(await act('Pass on', { values: new Map([['To', '7']]) })).toMatchObject({ answer: { message: 'To [7]' } });
  });

  it('fills in the form of an action in rounds, and tells what it answered', async () => {
    const { act } = await startShop();
    const values = new Map(Object.entries({ Details: 'broken, sadly', Reason: 'other', Amount: '5' }));
    expect(await act('refund-order', { values })).toEqual({
      collection: 'orders',
      action: 'Refund order',
      answer: { type: 'success', message: 'Refunded 1 number 5 other broken, sadly' },
    });
  });

  it('asks for the fields that are missing, also for those that an answer brings up', async () => {
    const { act } = await startShop();
    const asked: string[][] = [];
    const askFor = async (fields: readonly FormField[]) => {
      asked.push(fields.map(({ field }) => field));
      const answers: Record<string, unknown> = { Amount: 7, Reason: 'other', Details: 'late' };
      return new Map(fields.map(({ field }) => [field, answers[field]]));
    };
    const { answer } = await act('Refund order', { askFor, values: new Map([['Amount', '6']]) });
    expect(asked).toEqual([['Reason'], ['Details']]);
    expect(answer).toMatchObject({ message: 'Refunded 1 number 6 other late' });
  });

  it('refuses values that do not fit, unknown names and missing records', async () => {
    const { act } = await startShop();
    const refusals: [() => Promise<unknown>, string][] = [
      [() => act('Refund order', { values: new Map([['Amount', 'much']]) }), '"much" does not fit the field "Amount"'],
      [() => act('Refund order', { values: new Map([['Amuont', '1']]) }), 'no field "Amuont". Did you mean "Amount"?'],
      [() => act('Refnd order'), 'no action "Refnd order". Did you mean "Refund order"?'],
      [() => act('Refund order', { ids: [] }), 'runs on one record, and no ids were given'],
    ];
    for (const [refuse, message] of refusals) {
      await expect(refuse()).rejects.toMatchObject({
        code: 'USAGE_INVALID',
        message: expect.stringContaining(message),
      });
    }
    const tooMuch = new Map(Object.entries({ Amount: '500', Reason: 'late' }));
    await expect(act('Refund order', { values: tooMuch })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'That is too much.',
    });
  });

  it('sends the files whose paths the form is given', async () => {
    const { root, act } = await startShop();
    await writeFile(path.join(root, 'invoice.pdf'), 'paid');
    await writeFile(path.join(root, 'photo'), 'dark');
    const values = new Map([
      ['Invoice', 'invoice.pdf'],
      ['Photos', `photo, ${path.join(root, 'invoice.pdf')}`],
    ]);
    expect((await act('Attach', { values })).answer).toMatchObject({
      message: 'invoice.pdf application/pdf 4, photo application/octet-stream 4, invoice.pdf application/pdf 4',
    });
    const askFor = async () => new Map([['Invoice', 'data:text/plain;name=a.txt;base64,aGk=']]);
    expect((await act('Attach', { askFor })).answer).toMatchObject({ message: 'a.txt text/plain 2' });
    await expect(act('Attach', { values: new Map([['Invoice', 'nowhere.pdf']]) })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: `There is no file ${path.join(root, 'nowhere.pdf')}.`,
    });
  });

  it.each([
    ['Day', '25.11.2026', 'a date, such as 2026-11-25'],
    ['Day', '2026-02-30', 'a date, such as 2026-11-25'],
    ['Moment', '2026-11-25', 'a date with its time, such as 2026-11-25T09:30:00Z'],
    ['Hour', '9:30', 'a time, such as 09:30:00'],
  ])('refuses for the field %s the value %s before the action is asked', async (name, value, wanted) => {
    const { act } = await startShop();
    await expect(act('Attach', { values: new Map([[name, value]]) })).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: `"${value}" does not fit the field "${name}", which takes ${wanted}.`,
    });
  });

  it('keeps the file of an action beside files of the same name', async () => {
    const { root, context, act } = await startShop();
    const run = await act('Export', { ids: [] });
    const kept = [await keepFile(context, run, undefined), await keepFile(context, run, undefined)];
    expect(kept.map(({ answer }) => answer)).toMatchObject([
      { path: path.join(root, 'orders.csv'), sizeBytes: 3 },
      { path: path.join(root, 'orders-2.csv') },
    ]);
    expect(await readFile(path.join(root, 'orders-2.csv'), 'utf8')).toBe('a;b');
  });

  it('shows charts of the agent and of a record', async () => {
    const { root, context } = await startShop();
    const chart = (name: string, record?: string) =>
      runChart(context, {
        ...asker,
        folder: root,
        chart: name,
        about: record === undefined ? undefined : { collection: 'orders', record },
        parameters: {},
      });
    expect((await chart('Orders')).value).toMatchObject({ countCurrent: 20_000 });
    expect((await chart('Total', '1')).value).toMatchObject({ countCurrent: expect.any(Number) });
    await expect(chart('Oders')).rejects.toMatchObject({
      code: 'USAGE_INVALID',
      message: 'The agent has no chart "Oders".',
      nextSteps: [
        'Check the name of the chart: the code gives it in "addChart".',
        'A chart of a collection needs it, and a record: --collection orders --record 7',
      ],
    });
  });
});

describe('run, with an agent of its own', () => {
  it('acts under the rights of the person that was named, beside a session that serves the developer', async () => {
    const { root, list } = await startShop();
    const rights = { roles: { support: { collections: { customers: { browse: true, read: true } } } } };
    await writeFile(path.join(root, 'permissions.json'), JSON.stringify(rights));
    const asSupport = { as: 'role:support' };
    expect((await list({ ...asSupport, collection: 'customers' })).records).toHaveLength(2);
    await expect(list(asSupport)).rejects.toMatchObject({ code: 'REQUEST_FORBIDDEN' });
  });
});
