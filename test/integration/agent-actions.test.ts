import { once } from 'node:events';
import { get } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ActionResult, FileContent, ResultBuilder } from '#runtime/customizer/action-definition';
import type { Agent } from '#runtime/index';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const act = (attributes: unknown) => ({ method: 'POST', body: { data: { attributes } } });
const invalidField = (field: string) => ({
  errors: [expect.objectContaining({ name: 'ValidationError', status: 400, data: { field } })],
});
const fieldsOf = (json: unknown) => (json as { fields: Record<string, unknown>[] }).fields;
const rights = { browseEnabled: true, readEnabled: true, editEnabled: true, addEnabled: true, deleteEnabled: true };

/** A platform whose one role may trigger what `actions` says. */
function platformWith(actions: object, scope: object | null = null) {
  const collection = { ...rights, exportEnabled: true };
  return {
    environmentPermissions: async () => ({ collections: { orders: { collection, actions } } }) as never,
    users: async () => [{ id: 7, roleId: 1, tags: {} }] as never,
    renderingPermissions: async () =>
      ({ team: { id: 1, name: 'x' }, collections: { orders: { scope, segments: [] } }, stats: [] }) as never,
  };
}

describe('the form of an action', () => {
  const calls: string[] = [];
  const customize = (shop: Agent) => {
    calls.length = 0;
    shop.customizeCollection('orders', (orders) =>
      orders
        .addAction('Refund', {
          scope: 'Single',
          form: [
            { type: 'String', label: 'Reason', isRequired: true, widget: 'TextArea', rows: 3 },
            {
              type: 'Number',
              label: 'Amount',
              defaultValue: async (context) => Number(await context.getField('total')),
            },
            { type: 'Boolean', label: 'Notify', defaultValue: false },
            { type: 'String', label: 'Mail', if: ({ formValues }) => formValues['Notify'], description: 'The person' },
            { type: 'Collection', label: 'Line', collectionName: 'lines' },
            { type: 'File', label: 'Proof' },
            {
              type: 'String',
              label: 'Country',
              widget: 'Dropdown',
              search: 'dynamic',
              options: async (_context, searchValue) => [`${searchValue ?? 'all'}…`],
            },
          ],
          execute: (context, result) => result.success(JSON.stringify(context.formValues)),
        })
        .addAction('Broken', {
          scope: 'Global',
          form: () => {
            calls.push('form');
            throw new Error('password=hunter2');
          },
          execute: (_context, result) => {
            calls.push('execute');
            return result.success();
          },
        }),
    );
  };
  const refund = '/_actions/orders/0/refund';

  it('is made for the one record of a Single action, however the record is selected', async () => {
    const agent = await startShopAgent(customize);
    const everything = { all_records: true, all_records_ids_excluded: [], values: { Reason: 'late' } };
    for (const target of [refund, `${refund}/hooks/load`]) {
      const { status, text } = await call(agent, target, act(everything));
      expect([status, text]).toEqual([400, expect.stringContaining('exactly one record')]);
    }
  });

  it('is loaded with its defaults, read from the record', async () => {
    const agent = await startShopAgent(customize);
    const { status, json } = await call(agent, `${refund}/hooks/load`, act({ ids: ['1'] }));
    expect(status).toBe(200);
    expect(json).toEqual({
      fields: [
        {
          field: 'Reason',
          label: 'Reason',
          isRequired: true,
          type: 'String',
          widgetEdit: { name: 'text area editor', parameters: { placeholder: null, rows: 3 } },
        },
        { field: 'Amount', label: 'Amount', type: 'Number', value: 10.5 },
        { field: 'Notify', label: 'Notify', type: 'Boolean', value: false, hook: 'changeHook' },
        { field: 'Line', label: 'Line', type: 'Number', reference: 'lines.order_id' },
        { field: 'Proof', label: 'Proof', type: 'File' },
        {
          field: 'Country',
          label: 'Country',
          type: 'String',
          widgetEdit: {
            name: 'dropdown',
            parameters: { searchType: 'dynamic', isSearchable: true, placeholder: null, static: { options: ['all…'] } },
          },
        },
      ],
      layout: [],
    });
  });

  it('is evaluated again after an edit, with what was entered', async () => {
    const agent = await startShopAgent(customize);
    const fields = [
      { field: 'Notify', value: true },
      { field: 'Amount', value: null },
      { field: 'Line', value: '4|ab', reference: 'lines.order_id' },
      { field: 'Proof', value: 'data:text/plain;name=a.txt;base64,aGk=' },
      { field: 'Loading...', value: 'Form is loading' },
    ];
    const { json } = await call(agent, `${refund}/hooks/change`, act({ ids: ['1'], fields, changed_field: 'Notify' }));
    const byId = Object.fromEntries(fieldsOf(json).map((field) => [field['field'], field['value']]));
    expect(byId).toEqual({
      Reason: undefined,
      Amount: null,
      Notify: true,
      Mail: undefined,
      Line: '4|ab',
      Proof: 'data:text/plain;name=a.txt;base64,aGk=',
      Country: undefined,
    });
  });

  it('never shows its functions the placeholder of a form that is loading', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addAction('Keys', {
          scope: 'Global',
          form: ({ formValues }) => [{ type: 'String', label: Object.keys(formValues).join() }],
          execute: () => undefined,
        }),
      );
    });
    const fields = [{ field: 'Loading...', value: 'x' }, { field: 'a', value: 1 }, { field: 'b' }];
    const { json } = await call(agent, '/_actions/orders/0/keys/hooks/change', act({ fields }));
    expect(fieldsOf(json).map(({ field }) => field)).toEqual(['a,b']);
  });

  it('gives one field with the options that were searched', async () => {
    const agent = await startShopAgent(customize);
    const fields = [{ field: 'Country', value: null, searchValue: 'fra' }];
    const { json } = await call(agent, `${refund}/hooks/search`, act({ ids: ['1'], fields, search_field: 'Country' }));
    expect(json).toMatchObject({
      fields: [{ field: 'Country', widgetEdit: { parameters: { static: { options: ['fra…'] } } } }],
      layout: [],
    });
  });

  it('reaches the handler decoded, defaults filled in, hidden fields left out', async () => {
    const agent = await startShopAgent(customize);
    const values = {
      Reason: 'late',
      Line: '4|ab',
      Proof: 'data:text/plain;name=a.txt;base64,aGk=',
      Mail: 'x@example.test',
      'Loading...': 'Form is loading',
    };
    const { json, status } = await call(agent, refund, act({ ids: ['1'], values }));
    expect(status).toBe(200);
    expect(JSON.parse((json as { success: string }).success)).toEqual({
      Reason: 'late',
      Amount: 10.5,
      Notify: false,
      Line: [4, 'ab'],
      Proof: { name: 'a.txt', mimeType: 'text/plain', buffer: { type: 'Buffer', data: [104, 105] } },
    });
  });

  it.each<[string, string, object]>([
    ['a required value that is missing', 'Reason', {}],
    ['a value of another type', 'Amount', { Reason: 'x', Amount: '12' }],
    ['a key that belongs to no record', 'Line', { Reason: 'x', Line: '4' }],
    ['a key that is not a text', 'Line', { Reason: 'x', Line: 4 }],
    ['a file that is not a data URI', 'Proof', { Reason: 'x', Proof: 'data:text/plain,hello' }],
    ['a field the form does not have', 'Raeson', { Reason: 'x', Raeson: 'y' }],
  ])('refuses %s and names the field', async (_what, field, values) => {
    const agent = await startShopAgent(customize);
    const { status, json } = await call(agent, refund, act({ ids: ['1'], values }));
    expect(status).toBe(400);
    expect(json).toEqual(invalidField(field));
  });

  it('tells the client nothing of what its code threw', async () => {
    const agent = await startShopAgent(customize);
    const { status, text } = await call(agent, '/_actions/orders/1/broken/hooks/load', act({}));
    expect(status).toBe(500);
    expect(text).not.toContain('hunter2');
    expect(agent.log.join()).toContain('hunter2');
  });

  it('is refused for more records with a key of two parts than a statement takes (case 43)', async () => {
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('lines', (lines) =>
        lines.addAction('Count', { scope: 'Bulk', execute: (_context, result) => result.success('done') }),
      ),
    );
    const ids = Array.from({ length: 5_001 }, (_, index) => `${index}|a`);
    const { status, json } = await call(agent, '/_actions/lines/0/count/hooks/load', act({ ids, values: {} }));
    expect([status, JSON.stringify(json)]).toEqual([422, expect.stringContaining('more than 5000 records')]);
  });

  it('is given to nobody who may not trigger the action, before any of its code runs', async () => {
    const agent = await startShopAgent(customize, { platform: platformWith({}) });
    const hook = await call(agent, '/_actions/orders/1/broken/hooks/load', act({}));
    expect(hook.status).toBe(403);
    expect(hook.json).toMatchObject({ errors: [{ name: 'ForbiddenError', status: 403 }] });
    const execute = await call(agent, '/_actions/orders/1/broken', act({}));
    expect(execute.json).toMatchObject({ errors: [{ name: 'CustomActionTriggerForbiddenError', status: 403 }] });
    expect(calls).toEqual([]);
  });

  it('is given to somebody who needs an approval', async () => {
    const right = {
      triggerEnabled: true,
      triggerConditions: [],
      approvalRequired: true,
      approvalRequiredConditions: [],
    };
    const more = { userApprovalEnabled: true, userApprovalConditions: [], selfApprovalEnabled: true };
    const agent = await startShopAgent(customize, { platform: platformWith({ Refund: { ...right, ...more } }) });
    expect((await call(agent, `${refund}/hooks/load`, act({ ids: ['1'] }))).status).toBe(200);
    expect((await call(agent, refund, act({ ids: ['1'], values: { Reason: 'x' } }))).status).toBe(403);
  });

  it.each<[string, object, number]>([
    ['load', {}, 400],
    ['load', { ids: ['1', '2'] }, 400],
    ['change', { ids: ['1'], fields: 'all' }, 400],
    ['change', { ids: ['1'], fields: [{ value: 1 }] }, 400],
    ['search', { ids: ['1'], search_field: 4 }, 400],
    ['other', { ids: ['1'] }, 404],
  ])('answers the hook %s with %j with %d', async (hook, attributes, expected) => {
    const agent = await startShopAgent(customize);
    expect((await call(agent, `${refund}/hooks/${hook}`, act(attributes))).status).toBe(expected);
  });

  it('is empty for an action without one', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addAction('Plain', { scope: 'Global', execute: () => undefined }),
      );
    });
    const { json } = await call(agent, '/_actions/orders/0/plain/hooks/load', { method: 'POST', body: {} });
    expect(json).toEqual({ fields: [], layout: [] });
  });
});

describe('the context of an action', () => {
  it('reads records, keys and fields of one record, and the filter that holds for it', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('lines', (lines) =>
        lines.addAction('Look', {
          scope: 'Single',
          execute: async (context, result) => {
            const all = await Promise.all([
              context.getRecordId(),
              context.getCompositeRecordId(),
              context.getRecordIds(),
              context.getCompositeRecordIds(),
              context.getRecord(['quantity']),
              context.getField('order:ref'),
              context.collection.list(context.filter, ['sku']),
              context.hasFieldChanged('any'),
            ]);
            return result.success(JSON.stringify([context.collection.name, context.caller.email, ...all]));
          },
        }),
      );
    });
    const { json } = await call(agent, '/_actions/lines/0/look', act({ ids: ['4|ab'] }));
    expect(JSON.parse((json as { success: string }).success)).toEqual([
      'lines',
      'ada@example.test',
      '4|ab',
      [4, 'ab'],
      ['4|ab'],
      [[4, 'ab']],
      { quantity: 3 },
      'A-4',
      [{ sku: 'ab' }],
      false,
    ]);
  });

  it('has a filter that holds the scope of the caller and what the view was restricted to', async () => {
    const scope = { aggregator: 'and', conditions: [{ field: 'status', operator: 'equal', value: 'paid' }] };
    const right = {
      triggerEnabled: true,
      triggerConditions: [],
      approvalRequired: false,
      approvalRequiredConditions: [],
    };
    const more = { userApprovalEnabled: true, userApprovalConditions: [], selfApprovalEnabled: true };
    const platform = platformWith({ Filter: { ...right, ...more } }, scope);
    const agent = await startShopAgent(
      (shop: Agent) => {
        shop.customizeCollection('orders', (orders) =>
          orders.addAction('Filter', {
            scope: 'Bulk',
            execute: async (context, result) =>
              result.success(JSON.stringify([context.filter, await context.getRecordIds()])),
          }),
        );
      },
      { platform },
    );
    const { json } = await call(
      agent,
      '/_actions/orders/0/filter',
      act({ ids: ['1', '2', '4'], all_records_subset_query: { search: 'A-' } }),
    );
    expect(JSON.parse((json as { success: string }).success)).toEqual([
      {
        conditionTree: {
          aggregator: 'And',
          conditions: [
            {
              aggregator: 'And',
              conditions: [
                { field: 'id', operator: 'In', value: [1, 2, 4] },
                { aggregator: 'Or', conditions: [{ field: 'ref', operator: 'IContains', value: 'A-' }] },
              ],
            },
            { field: 'status', operator: 'Equal', value: 'paid' },
          ],
        },
      },
      [1, 4],
    ]);
  });

  it('has the addresses of rows where the table has no key', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('events', (events) =>
        events
          .addAction('Read', {
            scope: 'Bulk',
            execute: async (context, result) => result.success(JSON.stringify(await context.getRecords(['text']))),
          })
          .addAction('Keys', {
            scope: 'Bulk',
            execute: async (context, result) => result.success(JSON.stringify(await context.getRecordIds())),
          }),
      );
    });
    const all = act({ all_records: true, all_records_ids_excluded: [] });
    expect((await call(agent, '/_actions/events/0/read', all)).json).toMatchObject({ success: '[{"text":"opened"}]' });
    expect((await call(agent, '/_actions/events/1/keys', all)).json).toMatchObject({ success: '[1]' });
  });

  it('has no records in a Global action', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addAction('Count', {
          scope: 'Global',
          execute: async (context, result) => {
            const [row] = await context.dataSource.getCollection('customers').aggregate({}, { operation: 'Count' });
            return result.success(JSON.stringify([await context.getRecordIds(), row?.value]));
          },
        }),
      );
    });
    const { json } = await call(agent, '/_actions/orders/0/count', act({}));
    expect(json).toMatchObject({ success: '[[],2]' });
  });
});

describe('the result of an action', () => {
  type Execute = (result: ResultBuilder) => ActionResult;
  const started = (execute: Execute) =>
    startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addAction('Run', { scope: 'Global', execute: (_context, result) => execute(result) }),
      );
    });
  const run = (agent: ShopAgent) => call(agent, '/_actions/orders/0/run', act({}));

  it.each<[string, () => FileContent, string, string]>([
    ['a text', () => 'hé', 'text/csv', 'text/csv; charset=utf-8'],
    ['bytes', () => Buffer.from('hé'), 'application/pdf', 'application/pdf'],
    ['a stream', () => Readable.from(['h', 'é']), 'application/pdf', 'application/pdf'],
    [
      'an async generator',
      async function* () {
        yield 'h';
        yield new TextEncoder().encode('é');
      },
      'application/pdf',
      'application/pdf',
    ],
    ['a stream of the web', () => new Blob(['hé']).stream(), 'application/pdf', 'application/pdf'],
  ])('is a file made of %s', async (_what, content, mimeType, contentType) => {
    const agent = await started((result) => result.setHeader('X-Own', '1').file(content(), 'été.bin', mimeType));
    const { status, headers, text } = await run(agent);
    expect([status, text]).toEqual([200, 'hé']);
    expect(headers.get('content-type')).toBe(contentType);
    expect(headers.get('content-disposition')).toBe(
      'attachment; filename="_t_.bin"; filename*=UTF-8\'\'%C3%A9t%C3%A9.bin',
    );
    expect(headers.get('access-control-expose-headers')).toMatch(/^Content-Disposition, x-service-correlation-id/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-own')).toBe('1');
  });

  it('is a file that is read no faster than the client takes it', async () => {
    let made = 0;
    const endless = async function* () {
      for (;;) {
        made++;
        yield Buffer.alloc(64 * 1024);
      }
    };
    const source = Readable.from(endless());
    const agent = await started((result) => result.file(source));
    const request = get(`${agent.agentUrl}/_actions/orders/0/run?timezone=UTC`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent.token}` },
    });
    const [response] = await once(request, 'response');
    response.pause();
    await wait(300);
    const before = made;
    await wait(300);
    expect(made - before).toBeLessThan(5);
    response.destroy();
    await once(source, 'close');
    expect(source.destroyed).toBe(true);
  });

  it('is cut off, not ended, when the file breaks on the way', async () => {
    const breaking = async function* () {
      yield Buffer.alloc(256 * 1024);
      throw new Error('disk gone');
    };
    const agent = await started((result) => result.file(Readable.from(breaking())));
    await expect(run(agent)).rejects.toThrow();
    expect(agent.log.join()).toContain('disk gone');
  });

  it('is an error of the agent when the file breaks before it begins', async () => {
    const agent = await started((result) =>
      result.file(
        new Readable({
          read() {
            this.destroy(new Error('disk gone'));
          },
        }),
        'a.csv',
      ),
    );
    const { status, json, headers } = await run(agent);
    expect([status, headers.get('content-disposition')]).toEqual([500, null]);
    expect(json).toMatchObject({ errors: [{ detail: 'Unexpected error' }] });
  });

  it('is sent under the content type that the code gives it', async () => {
    const agent = await started((result) => result.setHeader('Content-Type', 'text/plain').success('Done'));
    const { status, headers, text } = await run(agent);
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
    expect(JSON.parse(text)).toEqual({ success: 'Done', refresh: { relationships: [] } });
  });

  it('is a redirect, a success with HTML, or an error', async () => {
    const redirect = await run(await started((result) => result.redirectTo('/orders/1')));
    expect(redirect.json).toEqual({ redirectTo: '/orders/1' });
    const success = await run(await started((result) => result.success('Done', { html: '<b>1</b>' })));
    expect(success.json).toEqual({ success: 'Done', html: '<b>1</b>', refresh: { relationships: [] } });
    const error = await run(await started((result) => result.error('No', { html: '<i>2</i>' })));
    expect([error.status, error.json]).toEqual([400, { error: 'No', html: '<i>2</i>' }]);
  });

  it.each<[string, Execute]>([
    ['something else', () => ({ done: true }) as never],
    ['a file of something else', (result) => result.file({ text: 'x' } as never)],
    ['a header that breaks the response', (result) => result.setHeader('X-A', 'a\r\nSet-Cookie: b').success()],
    [
      'a stream that was read before',
      (result) => {
        const stream = Readable.from([]);
        stream.destroy();
        return result.file(stream);
      },
    ],
    ['a header of the connection', (result) => result.setHeader('Content-Length', '1').success()],
    ['a file of a malformed type', (result) => result.file('x', 'x', 'text/plain\r\nX-A: b')],
  ])('cannot be %s', async (_what, execute) => {
    expect((await run(await started(execute))).status).toBe(500);
  });
});
