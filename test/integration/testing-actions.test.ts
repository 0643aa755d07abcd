import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ActionClient,
  ActionFailedError,
  ActionFormValidationError,
  ActionRequiresApprovalError,
  type AllRecords,
  type TestAgent,
  UnknownActionFieldError,
} from '../../src/exports/agent-testing.ts';
import { startTestedShop } from '../helpers/tested-shop.ts';

let shop: TestAgent;

beforeAll(async () => {
  shop = await startTestedShop();
});
afterAll(() => shop?.close());

const refund = (recordId = 1): Promise<ActionClient> => shop.client.collection('orders').action('Refund', { recordId });
const wizard = (): Promise<ActionClient> => shop.client.collection('orders').action('Wizard');

describe('the form of an action', () => {
  it('is filled in by type, and follows what is filled in', async () => {
    const action = await refund();
    expect(action.doesFieldExist('Details')).toBe(false);
    await action.getFieldNumber('Amount').fill(12.5);
    const reason = action.getEnumField('Reason');
    expect(reason.getOptions()).toEqual(['late', 'other']);
    await reason.select('other');
    expect(action.doesFieldExist('Details')).toBe(true);
    await action.getFieldString('Details').fill('scratched');
    await action.getDateField('From').fill(new Date('2026-01-02T03:04:05Z'));
    const proof = action.getFileField('Proof');
    await proof.fill({ name: 'a b.txt', mimeType: 'text/plain', buffer: Buffer.from('yes') });
    expect(proof.getValue()).toMatchObject({ name: 'a b.txt', mimeType: 'text/plain' });
    await action.getFieldStringList('Tags').add('a');
    await action.getFieldStringList('Tags').add('b');
    await action.getFieldStringList('Tags').remove('a');
    await action.getCollectionField('Customer').fill(2);
    const answer = await action.execute();
    expect(answer).toMatchObject({ type: 'success', html: '<i>done</i>', invalidated: ['lines'] });
    expect(JSON.parse(answer.type === 'success' ? answer.message : '')).toEqual({
      Amount: 12.5,
      Reason: 'other',
      Details: 'scratched',
      From: '2026-01-02T03:04:05.000Z',
      Proof: 'a b.txt: yes',
      Tags: ['b'],
      Customer: [2],
    });
  });

  it('describes its fields', async () => {
    const action = await refund();
    const amount = action.getField('Amount');
    expect([amount.getName(), amount.getLabel(), amount.getType(), amount.isRequired(), amount.getValue()]).toEqual([
      'Amount',
      'Amount',
      'Number',
      true,
      undefined,
    ]);
    expect(action.getField('Tags').getTypeName()).toBe('StringList');
    expect(action.getFields().map((field) => field.getName())).toEqual([
      'Amount',
      'Reason',
      'From',
      'Proof',
      'Tags',
      'Customer',
    ]);
  });

  it('is filled in at once, in order, with or without the fields it lacks', async () => {
    const action = await refund();
    await action.setFields({ Reason: 'other', Details: 'x' });
    expect(action.getField('Details').getValue()).toBe('x');
    await expect(action.setFields({ Reson: 'late' })).rejects.toBeInstanceOf(UnknownActionFieldError);
    await expect(action.setFields({ Reson: 'late' })).rejects.toThrowError('Did you mean "Reason"?');
    expect(await action.tryToSetFields({ Reason: 'late', Details: 'gone' })).toEqual(['Details']);
    expect(() => action.getField('Details')).toThrowError(UnknownActionFieldError);
  });

  it('refuses the wrong kind of field, and options that it does not offer', async () => {
    const action = await refund();
    expect(() => action.getFieldNumber('Reason')).toThrowError('it is of the type Enum');
    expect(() => action.getFieldNumber('Customer')).toThrowError(
      expect.objectContaining({ code: 'TEST_FORM_MISUSED' }),
    );
    await expect(action.getEnumField('Reason').select('lat')).rejects.toMatchObject({ nearest: 'late' });
  });

  it('has pages with rows, texts and separators', async () => {
    const layout = (await wizard()).getLayout();
    expect([layout.length, layout.page(0).nextButtonLabel, layout.page(1).previousButtonLabel]).toEqual([
      2,
      'On',
      'Back',
    ]);
    expect(layout.page(0).element(0).isHTMLBlock()).toBe(true);
    expect(layout.page(0).element(0).getHtmlBlockContent()).toBe('<h1>Hello</h1>');
    const row = layout.page(0).element(1);
    expect([row.isRow(), row.rowLength, row.rowElement(1).getInputId()]).toEqual([true, 2, 'Days']);
    expect(layout.page(1).element(0).isSeparator()).toBe(true);
    expect(layout.page(1).element(1).isInput()).toBe(true);
    expect(() => layout.page(2)).toThrowError('none at position 2');
    expect(() => row.getInputId()).toThrowError('of the kind "row", not "input"');
    expect((await refund()).getLayout().element(0).getInputId()).toBe('Amount');
  });

  it('has widgets with choices', async () => {
    const action = await wizard();
    const colour = action.getColorPickerField('Colour');
    expect([colour.isOpacityEnable(), colour.getQuickPalette()]).toEqual([true, ['#fff']]);
    const days = action.getCheckboxGroupField('Days');
    await days.check('Monday');
    await days.check('tu');
    await days.uncheck('mo');
    const country = action.getDropdownField('Country');
    expect((await country.search('F')).map(({ label }) => label)).toEqual(['France', 'Finland']);
    await country.select('France');
    await expect(country.select('Frence')).rejects.toMatchObject({ nearest: 'France' });
    await action.getCheckboxField('Sure').check();
    const answer = await action.execute();
    expect(answer.type === 'success' && JSON.parse(answer.message)).toEqual({
      Days: ['tu'],
      Country: 'France',
      Sure: true,
    });
  });
});

describe('an action', () => {
  it('answers with a file, a redirection or a webhook', async () => {
    const orders = shop.client.collection('orders');
    expect(await (await orders.action('Report', { recordIds: [1, 2] })).execute()).toMatchObject({
      type: 'file',
      name: 'bericht ü.txt',
      mimeType: 'text/plain',
      text: 'ids 1,2',
    });
    expect(await (await orders.action('Go')).execute()).toEqual({ type: 'redirect', path: '/orders' });
    expect(await (await orders.action('Call')).execute()).toEqual({
      type: 'webhook',
      url: 'https://example.test',
      method: 'POST',
      headers: { a: 'b' },
      body: { c: 1 },
    });
  });

  it('runs on all records that fit, except for some', async () => {
    const orders = shop.client.collection('orders');
    const answerOn = async (all: AllRecords) => (await orders.action('Report', { all })).execute();
    expect(await answerOn({})).toMatchObject({ text: 'ids 1,2,3,4' });
    const paid = { field: 'status', operator: 'Equal', value: 'paid' };
    expect(await answerOn({ filters: paid })).toMatchObject({ text: 'ids 1,4' });
    expect(await answerOn({ segment: 'Paid', except: [1] })).toMatchObject({ text: 'ids 4' });
    expect(await answerOn({ search: 'A-3' })).toMatchObject({ text: 'ids 3' });
    await expect(orders.action('Refund', { all: {} })).rejects.toThrowError('runs on one record');
  });

  it('refuses a selection that does not fit its scope', async () => {
    const orders = shop.client.collection('orders');
    await expect(orders.action('Refund')).rejects.toThrowError('runs on one record; 0 are selected');
    await expect(orders.action('Go', { recordId: 1 })).rejects.toMatchObject({ code: 'TEST_OPTION_INVALID' });
  });

  it('tells by class why it was refused', async () => {
    const action = await refund();
    const invalid = await action.execute().catch((error: unknown) => error);
    expect(invalid).toBeInstanceOf(ActionFormValidationError);
    expect(invalid).toMatchObject({ field: 'Amount', status: 400, code: 'TEST_AGENT_REFUSED' });
    await action.setFields({ Amount: 0 });
    const failed = await action.execute().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ActionFailedError);
    expect(failed).toMatchObject({ reason: 'Nothing to refund.', html: '<b>0</b>', status: 400 });
  });

  it('needs an approval, which holds for one run by somebody who may give it', async () => {
    const { client } = shop;
    const trigger = { browse: true, read: true, actions: { Refund: { trigger: true, needsApproval: true } } };
    await client.setFixtures({
      roles: {
        support: { collections: { orders: trigger } },
        managers: { collections: { orders: { browse: true, actions: { Refund: { trigger: true, approve: true } } } } },
      },
      users: [
        { email: 'ada@example.test', role: 'support' },
        { email: 'bob@example.test', role: 'managers' },
      ],
    });
    const open = async (email: string) => client.as(email).collection('orders').action('Refund', { recordId: 1 });
    const asked = await open('ada@example.test');
    await asked.setFields({ Amount: 5 });
    const refusal = await asked.execute().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ActionRequiresApprovalError);
    expect((refusal as ActionRequiresApprovalError).roleIds.length).toBeGreaterThan(0);
    const signedApprovalRequest = await asked.signApprovalRequest();
    const approving = await open('bob@example.test');
    expect(await approving.execute({ signedApprovalRequest })).toMatchObject({ type: 'success' });
    await expect(approving.execute({ signedApprovalRequest })).rejects.toMatchObject({ status: 422 });
    const expired = await asked.signApprovalRequest({ expiresInSeconds: -1 });
    await expect(approving.execute({ signedApprovalRequest: expired })).rejects.toMatchObject({ status: 422 });
  });
});
