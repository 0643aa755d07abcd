import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import type { CallResult } from '../../helpers/rest-call.ts';
import { platformOfRole } from '../../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../../helpers/shop-agent.ts';

const customize = (shop: Agent) =>
  shop.customizeCollection('orders', (orders) =>
    orders
      .addFieldValidation('total', 'GreaterThan', 0)
      .addFieldValidation('total', 'LessThan', 1_000)
      .addFieldValidation('ref', 'LongerThan', 2)
      .addFieldValidation('placed_at', 'Present')
      .renameField('ref', 'reference'),
  );

interface Sent {
  readonly attributes: object;
  readonly relationships?: object;
  readonly ifMatch?: unknown;
}

function write(agent: ShopAgent, method: 'POST' | 'PUT', target: string, sent: Sent) {
  const { attributes, relationships, ifMatch } = sent;
  const meta = ifMatch === undefined ? {} : { meta: { ifMatch } };
  return call(agent, target, { method, body: { data: { attributes, relationships }, ...meta } });
}

function errorsOf({ json }: CallResult) {
  const { errors } = json as { errors: { code: string; detail: string; data?: { field?: string; fields?: object } }[] };
  return errors;
}

async function fieldsOf(answer: Promise<CallResult>) {
  const result = await answer;
  return [result.status, errorsOf(result).map(({ data }) => data?.field)];
}

const placed = { placed_at: '2024-04-01T10:00:00.000Z' };
const wrong = { status: 'lost', total: -5, reference: 'x', nope: 1, customer: 3 };

describe('the errors of a record', () => {
  it('are all in one answer, each with its field', async () => {
    const agent = await startShopAgent(customize);
    const fields = ['status', 'nope', 'customer', 'total', 'reference'];
    for (const dryRun of ['', '?dryRun=true']) {
      expect(await fieldsOf(write(agent, 'PUT', `/orders/1${dryRun}`, { attributes: wrong }))).toEqual([400, fields]);
      expect(await fieldsOf(write(agent, 'POST', `/orders${dryRun}`, { attributes: wrong }))).toEqual([400, fields]);
    }
    const answer = await write(agent, 'PUT', '/orders/1', { attributes: { total: -5, reference: 'x' } });
    expect(errorsOf(answer)).toEqual([
      expect.objectContaining({
        name: 'ValidationError',
        status: 400,
        detail: 'The field "total" must be more than 0.',
      }),
      expect.objectContaining({ detail: expect.stringContaining('The field "reference" must be longer than 2') }),
    ]);
  });

  it('name a field once, by the first rule that it breaks', async () => {
    const twice = (shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addFieldValidation('total', 'GreaterThan', 10).addFieldValidation('total', 'GreaterThan', 20),
      );
    const answer = write(await startShopAgent(twice), 'PUT', '/orders/1', { attributes: { total: 1 } });
    expect(await fieldsOf(answer)).toEqual([400, ['total']]);
  });

  it('are one as before where one field is wrong, and a required one is among them', async () => {
    const agent = await startShopAgent(customize);
    expect(await fieldsOf(write(agent, 'PUT', '/orders/1', { attributes: { total: -5 } }))).toEqual([400, ['total']]);
    const created = write(agent, 'POST', '/orders', { attributes: { reference: 'new', total: 0 } });
    expect(await fieldsOf(created)).toEqual([400, ['total', 'placed_at']]);
    // A hook may still fill a field that is not given, so it counts when everything else can be written.
    expect(await fieldsOf(write(agent, 'POST', '/orders', { attributes: { nope: 1 } }))).toEqual([400, ['nope']]);
  });

  it('are at most 100 of what was sent', async () => {
    const agent = await startShopAgent(customize);
    const attributes = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`nope${index}`, 1]));
    const answer = await write(agent, 'PUT', '/orders/1', { attributes });
    expect([answer.status, errorsOf(answer).length]).toEqual([400, 100]);
  });

  it('are written in the words of the application', async () => {
    const agent = await startShopAgent(customize);
    const { text } = await write(agent, 'PUT', '/orders/1', { attributes: wrong });
    expect(text).not.toMatch(/"ref"|select|sqlite/i);
  });
});

describe('a dry run', () => {
  it('says that a record could be written, and writes nothing', async () => {
    const agent = await startShopAgent(customize);
    const before = (await call(agent, '/orders')).json;
    const attributes = { reference: 'A-9', total: 3, ...placed };
    const created = await write(agent, 'POST', '/orders?dryRun=true', { attributes });
    expect([created.status, created.json]).toEqual([200, { meta: { dryRun: true, missing: [] } }]);
    const updated = await write(agent, 'PUT', '/orders/1?dryRun=true', { attributes: { total: 3 } });
    expect([updated.status, updated.json]).toEqual([200, { meta: { dryRun: true } }]);
    expect((await call(agent, '/orders')).json).toEqual(before);
    const written = await write(agent, 'PUT', '/orders/1?dryRun=false', { attributes: { total: 3 } });
    expect(written.json).toMatchObject({ data: { attributes: { total: '3.00' } } });
  });

  it('names the fields that the database demands', async () => {
    const agent = await startShopAgent(customize);
    const customer = { data: { type: 'customers', id: '1' } };
    const sent = { attributes: placed, relationships: { customer } };
    const { json } = await write(agent, 'POST', '/orders?dryRun=1', sent);
    expect(json).toEqual({ meta: { dryRun: true, missing: ['reference'] } });
  });

  it('asks for the rights of the write, and for a record that is there', async () => {
    const platform = platformOfRole({ rights: { orders: { browseEnabled: true, readEnabled: true } } });
    const agent = await startShopAgent(customize, { platform });
    expect((await write(agent, 'POST', '/orders?dryRun=true', { attributes: wrong })).status).toBe(403);
    expect((await write(agent, 'PUT', '/orders/1?dryRun=true', { attributes: wrong })).status).toBe(403);
    const allowed = await startShopAgent(customize);
    expect((await write(allowed, 'PUT', '/orders/99?dryRun=true', { attributes: { total: 3 } })).status).toBe(404);
  });

  it('runs no hook and reports no write', async () => {
    let hooks = 0;
    const agent = await startShopAgent((shop: Agent) =>
      shop.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'Update', () => void hooks++).addHook('Before', 'Create', () => void hooks++),
      ),
    );
    await write(agent, 'PUT', '/orders/1?dryRun=true', { attributes: { total: 3 } });
    await write(agent, 'POST', '/orders?dryRun=true', { attributes: { ref: 'A-9' } });
    expect(hooks).toBe(0);
  });
});

describe('values that somebody has seen', () => {
  const seen = { status: 'paid', total: '10.50' };

  it('let a record be written that still has them', async () => {
    const agent = await startShopAgent(customize);
    const update = await write(agent, 'PUT', '/orders/1', { attributes: { total: 12 }, ifMatch: seen });
    expect([update.status, update.json]).toEqual([
      200,
      expect.objectContaining({ data: expect.objectContaining({ id: '1' }) }),
    ]);
  });

  it('refuse the write of a record that has others, with both values of each field', async () => {
    const agent = await startShopAgent(customize);
    await write(agent, 'PUT', '/orders/1', { attributes: { total: 12, reference: 'A-1b' } });
    const sent = { attributes: { total: 11 }, ifMatch: { ...seen, reference: 'A-1' } };
    for (const target of ['/orders/1', '/orders/1?dryRun=true']) {
      const refused = await write(agent, 'PUT', target, sent);
      expect(refused.status).toBe(409);
      expect(errorsOf(refused)).toEqual([
        expect.objectContaining({
          code: 'RECORD_CHANGED',
          data: { fields: { total: { seen: '10.50', now: '12.00' }, reference: { seen: 'A-1', now: 'A-1b' } } },
        }),
      ]);
    }
    expect((await call(agent, '/orders/1')).json).toMatchObject({ data: { attributes: { total: '12.00' } } });
  });

  it('tell nothing to somebody who may not read the record', async () => {
    const platform = platformOfRole({ rights: { orders: { browseEnabled: true, editEnabled: true } } });
    const agent = await startShopAgent(customize, { platform });
    const { status, text } = await write(agent, 'PUT', '/orders/1', {
      attributes: { total: 1 },
      ifMatch: { total: 7 },
    });
    expect([status, text]).toEqual([403, expect.not.stringContaining('10.5')]);
    const scope = { field: 'status', operator: 'equal', value: 'draft' };
    const everything = { browseEnabled: true, readEnabled: true, editEnabled: true };
    const scoped = platformOfRole({ rights: { orders: everything }, scopes: { orders: scope } });
    const other = await startShopAgent(customize, { platform: scoped });
    const hidden = await write(other, 'PUT', '/orders/1', { attributes: { total: 1 }, ifMatch: { total: 7 } });
    expect([hidden.status, hidden.json]).toEqual([200, expect.objectContaining({ data: null })]);
  });

  it.each<[string, unknown, string]>([
    ['no object', [1], '"meta.ifMatch" must be an object.'],
    ['nothing', {}, 'name no field'],
    ['an unknown field', { nope: 1 }, 'nope'],
    ['a value that the field cannot have', { total: 'many' }, 'total'],
  ])('are refused when they are %s', async (_what, ifMatch, fault) => {
    const agent = await startShopAgent(customize);
    const { status, text } = await write(agent, 'PUT', '/orders/1', { attributes: { total: 1 }, ifMatch });
    expect([status, text]).toEqual([400, expect.stringContaining(fault.replaceAll('"', '\\"'))]);
  });
});
