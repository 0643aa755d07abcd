import { describe, expect, it } from 'vitest';
import type { McpScope } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import { confirmedCall, errorOf, mcpCall } from '../helpers/mcp-call.ts';
import { authSecret, call, identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const nothing = () => undefined;

async function ask(agent: ShopAgent, name: string, args: Record<string, unknown>) {
  const answer = await mcpCall(agent, name, args);
  expect(answer.result.isError, JSON.stringify(answer.result.content)).toBeUndefined();
  return answer.result.structuredContent;
}

async function refusal(agent: ShopAgent, name: string, args: Record<string, unknown>) {
  return errorOf(await mcpCall(agent, name, args));
}

const customers = { collectionName: 'customers' };
const orders = { collectionName: 'orders' };

describe('the tool create', () => {
  it('creates a record, from an object or from its JSON text', async () => {
    const agent = await startShopAgent();
    const first = await ask(agent, 'create', { ...customers, attributes: { name: 'Ada' } });
    expect(first).toMatchObject({ status: 'created', record: { id: 3, name: 'Ada', country: null } });
    const second = await ask(agent, 'create', { ...customers, attributes: '{"name":"Bo","country":"FR"}' });
    expect(second).toMatchObject({ record: { id: 4, name: 'Bo', country: 'FR' } });
    expect((await call(agent, '/customers/4')).json).toMatchObject({ data: { attributes: { name: 'Bo' } } });
  });

  it.each([
    ['an unknown field', customers, { nam: 'x' }, { code: 'REQUEST_FIELD_UNKNOWN', field: 'nam' }],
    ['a prototype key', customers, '{"name":"x","__proto__":{"country":"FR"}}', { field: '__proto__' }],
    ['the key constructor', customers, { name: 'x', constructor: 1 }, { field: 'constructor' }],
    ['a missing field', customers, { country: 'FR' }, { field: 'name' }],
    ['another case of an enum', orders, { ref: 'B-1', status: 'Paid' }, { field: 'status' }],
    ['a wrong type', orders, { ref: 'B-1', total: 'ten' }, { field: 'total' }],
    ['a relation', orders, { ref: 'B-1', customer: 1 }, { field: 'customer' }],
    ['a number that JSON has rounded', orders, { ref: 'B-1', total: 2 ** 53 }, { field: 'total' }],
    ['a text that is not an object', customers, '[1]', { code: 'REQUEST_INVALID' }],
    ['a text that is not JSON', customers, '{', { code: 'REQUEST_INVALID' }],
  ])('names the field of %s, and writes nothing', async (_case, collection, attributes, expected) => {
    const agent = await startShopAgent();
    const error = await refusal(agent, 'create', { ...collection, attributes });
    expect(error).toMatchObject({ ...expected, retryable: false });
    expect((await call(agent, '/customers/count')).json).toEqual({ count: 2 });
    expect((await call(agent, '/orders/count')).json).toEqual({ count: 4 });
  });

  it('refuses a read-only field by its name', async () => {
    const agent = await startShopAgent((agent: never) =>
      (agent as import('#runtime/customizer/agent').Agent).customizeCollection('customers', (collection) =>
        collection.addField('shout', {
          columnType: 'String',
          dependencies: ['name'],
          getValues: (records) => records.map(({ name }) => String(name).toUpperCase()),
        }),
      ),
    );
    const error = await refusal(agent, 'create', { ...customers, attributes: { name: 'x', shout: 'X' } });
    expect(error).toMatchObject({ code: 'REQUEST_INVALID', field: 'shout' });
  });

  it('keeps exact numbers and tells null from a missing value', async () => {
    const agent = await startShopAgent();
    const attributes = { ref: 'B-1', total: '1234567890.12', customer_id: null };
    const { record } = await ask(agent, 'create', { ...orders, attributes });
    expect(record).toMatchObject({ total: '1234567890.12', customer_id: null, status: 'draft' });
  });

  it('says what a dry run would set, and writes nothing', async () => {
    let hooks = 0;
    const agent = await startShopAgent((agent: import('#runtime/customizer/agent').Agent) =>
      agent.customizeCollection('customers', (collection) =>
        collection.addHook('Before', 'Create', () => {
          hooks++;
        }),
      ),
    );
    const args = { ...customers, attributes: { name: 'Ada' }, dryRun: true };
    expect(await ask(agent, 'create', args)).toEqual({ status: 'dry_run', wouldSet: { name: 'Ada' }, missing: [] });
    expect(await ask(agent, 'create', { ...args, attributes: {} })).toMatchObject({ missing: ['name'] });
    expect(await refusal(agent, 'create', { ...args, attributes: { nam: 1 } })).toMatchObject({ field: 'nam' });
    expect((await call(agent, '/customers/count')).json).toEqual({ count: 2 });
    expect(hooks).toBe(0);
  });
});

describe('the tool update', () => {
  it('changes the fields that are sent', async () => {
    const agent = await startShopAgent();
    const updated = await ask(agent, 'update', { ...orders, recordId: 1, attributes: { status: 'draft' } });
    expect(updated).toMatchObject({ status: 'updated', record: { id: 1, ref: 'A-1', status: 'draft' } });
  });

  it('takes composite ids as a list, with separators in their parts', async () => {
    const agent = await startShopAgent();
    const args = { collectionName: 'lines', recordId: [4, 'a|b'], attributes: { quantity: 9 } };
    expect(await ask(agent, 'update', args)).toMatchObject({ record: { order_id: 4, sku: 'a|b', quantity: 9 } });
  });

  it('shows what a dry run would change', async () => {
    const agent = await startShopAgent();
    const args = { ...orders, recordId: '1', attributes: { status: 'draft', ref: 'A-1' }, dryRun: true };
    expect(await ask(agent, 'update', args)).toEqual({
      status: 'dry_run',
      changes: [{ field: 'status', from: 'paid', to: 'draft' }],
    });
    expect((await call(agent, '/orders/1')).json).toMatchObject({ data: { attributes: { status: 'paid' } } });
  });

  it.each(['update', 'a dry run'])('says that there is no such record: %s', async (kind) => {
    const agent = await startShopAgent();
    const args = { ...orders, recordId: 99, attributes: { status: 'draft' }, dryRun: kind === 'a dry run' };
    expect(await refusal(agent, 'update', args)).toMatchObject({ code: 'REQUEST_NOT_FOUND' });
  });
});

describe('the tool delete', () => {
  it('deletes each record once and counts those that were there', async () => {
    const agent = await startShopAgent();
    const args = { collectionName: 'lines', recordIds: ['1|ab', '1|ab', [1, 'ab'], '1|zz'] };
    const { result } = await confirmedCall(agent, 'delete', args);
    expect(result.structuredContent).toEqual({ status: 'deleted', deletedCount: 1 });
    expect((await call(agent, '/lines/count')).json).toEqual({ count: 2 });
  });

  it.each([
    ['no ids', []],
    ['more ids than one call takes', Array.from({ length: 1_001 }, (_, index) => index)],
  ])('refuses %s', async (_case, recordIds) => {
    const agent = await startShopAgent();
    expect(await refusal(agent, 'delete', { ...orders, recordIds })).toMatchObject({ code: 'REQUEST_INVALID' });
    expect((await call(agent, '/orders/count')).json).toEqual({ count: 4 });
  });

  it('counts what a dry run would delete', async () => {
    const agent = await startShopAgent();
    const answer = await ask(agent, 'delete', { ...orders, recordIds: [2, 99], dryRun: true });
    expect(answer).toEqual({ status: 'dry_run', count: 1 });
  });
});

describe('the tools associate and dissociate', () => {
  it('link and unlink by a relation to many, and keep the records', async () => {
    const agent = await startShopAgent();
    const relation = { ...customers, parentRecordId: 1, relationName: 'orders' };
    expect(await ask(agent, 'associate', { ...relation, targetRecordId: 4 })).toEqual({ status: 'linked' });
    expect((await call(agent, '/customers/1/relationships/orders/count')).json).toEqual({ count: 3 });
    const { result } = await confirmedCall(agent, 'dissociate', { ...relation, targetRecordIds: [4, 3, 4] });
    expect(result.structuredContent).toEqual({ status: 'unlinked', unlinkedCount: 1 });
    expect((await call(agent, '/customers/1/relationships/orders/count')).json).toEqual({ count: 2 });
    expect((await call(agent, '/orders/count')).json).toEqual({ count: 4 });
  });

  it('link by a relation to one', async () => {
    const agent = await startShopAgent();
    const args = { ...orders, parentRecordId: 1, relationName: 'customer', targetRecordId: 2 };
    expect(await ask(agent, 'associate', { ...args, dryRun: true })).toEqual({ status: 'dry_run' });
    expect((await call(agent, '/orders/1')).json).toMatchObject({ data: { attributes: { customer_id: 1 } } });
    expect(await ask(agent, 'associate', args)).toEqual({ status: 'linked' });
    expect((await call(agent, '/orders/1')).json).toMatchObject({ data: { attributes: { customer_id: 2 } } });
  });

  it.each([
    ['a target', { ...customers, parentRecordId: 1, relationName: 'orders', targetRecordId: 99 }],
    ['a parent', { ...customers, parentRecordId: 99, relationName: 'orders', targetRecordId: 1 }],
    ['a target of a relation to one', { ...orders, parentRecordId: 1, relationName: 'customer', targetRecordId: 99 }],
    ['a relation', { ...orders, parentRecordId: 1, relationName: 'custmer', targetRecordId: 1 }],
  ])('say that %s is not there', async (_case, args) => {
    const agent = await startShopAgent();
    for (const dryRun of [false, true]) {
      expect(await refusal(agent, 'associate', { ...args, dryRun })).toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    }
  });
});

describe('the scopes of the writing tools', () => {
  const scopes: Readonly<Record<string, McpScope>> = {
    create: 'mcp:write',
    update: 'mcp:write',
    associate: 'mcp:write',
    dissociate: 'mcp:write',
    delete: 'mcp:delete',
    getActionForm: 'mcp:action',
    executeAction: 'mcp:action',
  };

  it('none implies another: each tool is refused without its own', async () => {
    const agent = await startShopAgent(nothing);
    const tokens = createMcpTokens(authSecret, systemClock, systemRandom, () => false);
    const all = ['mcp:read', 'mcp:write', 'mcp:delete', 'mcp:action'] as const;
    for (const [tool, scope] of Object.entries(scopes)) {
      const others = all.filter((other) => other !== scope);
      const token = await tokens.issue(identity, agent.mcpUrl, others);
      const { status } = await mcpCall(agent, tool, {}, { token });
      expect([tool, status]).toEqual([tool, 403]);
    }
  });
});
