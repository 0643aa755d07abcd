import { describe, expect, it } from 'vitest';
import type { RunInput } from '#runtime/actions/action-call';
import { createActionService } from '#runtime/actions/action-service';
import { compileModel } from '#runtime/compile/compile-model';
import type { ActionDefinition } from '#runtime/customizer/action-definition';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn } from '../../../helpers/call-context.ts';
import { recordingAuthoriser } from '../../../helpers/recording-authoriser.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, name text);
  create table orders (id integer primary key, ref text, customer_id integer references customers);
  insert into customers values (1, 'Zed');
  insert into orders values (1, 'A-1', 1), (2, 'A-2', 1);
`;

const context = callIn('UTC');
const first: RunInput = {
  selection: { collection: 'orders', where: { field: 'id', operator: 'Equal', value: 1 }, listed: 1 },
  values: { Reason: 'late' },
};

/** The action "Mark as Paid!" on orders, which says what it runs on. */
async function serve(change: Partial<ActionDefinition> = {}, denied?: string, warn?: (message: string) => void) {
  const collector = createDeclarationCollector();
  const definition = {
    scope: 'Bulk',
    form: [{ type: 'String', label: 'Reason', isRequired: true }],
    execute: async (call, result) =>
      result.setHeader('X-Own', '1').success(JSON.stringify([await call.getRecordIds(), call.formValues])),
    ...change,
  } as ActionDefinition;
  collector.agent.customizeCollection('orders', (orders) => orders.addAction('Mark as Paid!', definition));
  const model = compileModel([await temporaryDataSource(script)], await collector.finish());
  const { authoriser, asked } = recordingAuthoriser(denied);
  const open = async (token: unknown) => ({ body: { sub: String(token) }, spend: async () => undefined });
  const actions = createActionService(model, createRecordService(model, authoriser), authoriser, { open }, warn);
  const collection = model.collections.get('orders');
  const action = collection && actions.find(collection, '0/MARK-AS-paid-');
  if (!collection || !action) throw new TypeError('The action was not found by its address.');
  return { actions, asked, target: { collection, action } };
}

const approvalOf = (signed: { collection?: string; actionId?: string }, onSpend = (): void => undefined) => ({
  requesterId: 8,
  collection: signed.collection,
  actionId: signed.actionId,
  spend: async () => onSpend(),
});

describe('an action', () => {
  it('says in the log which default of its form is not among the values that a function gives', async () => {
    const said: string[] = [];
    const form = [
      { type: 'Enum', label: 'State', enumValues: () => ['new', 'old'], defaultValue: 'gone' },
      { type: 'EnumList', label: 'Tags', enumValues: async () => ['a'], defaultValue: () => ['a', 'b'] },
      { type: 'Enum', label: 'Fine', enumValues: () => ['x'], defaultValue: 'x' },
      { type: 'Enum', label: 'Empty', enumValues: () => ['x'] },
    ] as NonNullable<ActionDefinition['form']>;
    const { actions, target } = await serve({ form }, undefined, (message) => said.push(message));
    const ask = (sent: ReadonlyMap<string, unknown>) =>
      actions.form(target, () => ({ ...first, sent, changedField: undefined, search: undefined }), context);
    await ask(new Map());
    const of = 'The form of the action "Mark as Paid!" of "orders": the field';
    expect(said).toEqual([
      `${of} "State" does not show its default "gone", which is not among its "enumValues".`,
      `${of} "Tags" does not show its default "b", which is not among its "enumValues".`,
    ]);
    said.length = 0;
    await ask(
      new Map<string, unknown>([
        ['State', null],
        ['Tags', []],
      ]),
    );
    expect(said).toEqual([]);
  });

  it('is found by its address, or by its name, with a hint for a wrong one', async () => {
    const { actions, target } = await serve();
    expect(actions.find(target.collection, '0/mark-as-paid-')).toBe(target.action);
    expect(actions.find(target.collection, 'Mark as Paid!')).toBeUndefined();
    expect(actions.named(target.collection, 'Mark as Paid!')).toBe(target.action);
    expect(() => actions.named(target.collection, 'Mark as paid')).toThrow(
      expect.objectContaining({ code: 'REQUEST_NOT_FOUND', message: expect.stringContaining('"Mark as Paid!"') }),
    );
  });
});

describe('running an action', () => {
  it('asks for the right once, and gives what the code of the action answers', async () => {
    const { actions, asked, target } = await serve();
    const { result, headers } = await actions.run(target, undefined, () => first, context);
    expect(result).toMatchObject({ type: 'success', message: '[[1],{"Reason":"late"}]' });
    expect(headers).toEqual({ 'x-own': '1' });
    expect(asked).toEqual(['run orders Mark as Paid!']);
  });

  it.each<[string, Partial<ActionDefinition>, string]>([
    [
      'asks its record for a field that is not there',
      { scope: 'Single', execute: (call) => call.getRecord(['reff']) as never },
      'Did you mean "ref"?',
    ],
    [
      'asks for the record where it runs on several',
      { scope: 'Bulk', execute: (call: { getRecordId?(): unknown }) => call.getRecordId?.() } as never,
      'The code of a Bulk action asked for the record',
    ],
    [
      'asks for the record where it runs on none',
      { scope: 'Global', execute: (call: { getField?(name: string): unknown }) => call.getField?.('ref') } as never,
      'The code of a Global action asked for the record',
    ],
  ])('tells the place in the code that %s', async (_what, change, message) => {
    const { actions, target } = await serve(change);
    await expect(actions.run(target, undefined, () => first, context)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining(message),
      location: { file: expect.stringContaining('action-service.test.ts') },
    });
  });

  it('asks for the right to read where the paths of the selection end', async () => {
    const { actions, asked, target } = await serve();
    const where = { field: 'customer:name', operator: 'Equal' as const, value: 'Zed' };
    await actions.run(target, undefined, () => ({ ...first, selection: { ...first.selection, where } }), context);
    expect(asked).toEqual(['run orders Mark as Paid!', 'read on customers']);
  });

  it('does not read its input before the right is known, and reads it once', async () => {
    let reads = 0;
    const readInput = () => {
      reads++;
      return first;
    };
    const refusing = await serve({}, 'run');
    await expect(refusing.actions.run(refusing.target, undefined, readInput, context)).rejects.toMatchObject({
      code: 'REQUEST_FORBIDDEN',
    });
    expect(reads).toBe(0);
    const { actions, target } = await serve();
    await actions.run(target, undefined, readInput, context);
    expect(reads).toBe(1);
  });

  it('takes exactly one record for a Single action', async () => {
    const { actions, target } = await serve({ scope: 'Single' });
    const all = { ...first, selection: { collection: 'orders', listed: undefined } };
    await expect(actions.run(target, undefined, () => all, context)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });

  it('refuses what is not a result of the builder', async () => {
    const { actions, target } = await serve({ execute: () => 'done' as never });
    const failed = { code: 'CUSTOMIZATION_FAILED' };
    await expect(actions.run(target, undefined, () => first, context)).rejects.toMatchObject(failed);
  });
});

describe('an approval', () => {
  it('is asked for in place of the right to trigger, and spent when the action runs', async () => {
    const { actions, asked, target } = await serve();
    const spent: string[] = [];
    const approval = approvalOf({ collection: 'orders', actionId: 'orders-0-mark-as-paid-' }, () => {
      spent.push('now');
    });
    const invalid = { ...first, values: {} };
    await expect(actions.run(target, approval, () => invalid, context)).rejects.toMatchObject({
      details: { field: 'Reason' },
    });
    expect(spent).toEqual([]);
    await actions.run(target, approval, () => first, context);
    expect([spent, asked[1]]).toEqual([['now'], 'approve orders Mark as Paid!']);
  });

  it.each([{ collection: 'customers' }, { actionId: 'orders-1-other' }])('is for one action: %j', async (signed) => {
    const { actions, asked, target } = await serve();
    await expect(actions.run(target, approvalOf(signed), () => first, context)).rejects.toMatchObject({
      code: 'ACTION_APPROVAL_INVALID',
    });
    expect(asked).toEqual([]);
  });
});

describe('the form of an action', () => {
  it('is evaluated for whoever may see it, on what was entered', async () => {
    const { actions, asked, target } = await serve();
    const question = { selection: first.selection, sent: new Map([['Reason', 'lost']]) };
    const form = await actions.form(target, () => question, context);
    expect(form.values).toEqual({ Reason: 'lost' });
    expect(asked).toEqual(['form orders Mark as Paid!']);
  });

  it('is refused before the question is read', async () => {
    const { actions, target } = await serve({}, 'form');
    const unread = () => {
      throw new TypeError('read');
    };
    await expect(actions.form(target, unread, context)).rejects.toMatchObject({ code: 'REQUEST_FORBIDDEN' });
  });
});
