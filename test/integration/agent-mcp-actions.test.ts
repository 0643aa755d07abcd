import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { confirmedCall, errorOf, mcpCall } from '../helpers/mcp-call.ts';
import { connectMcp } from '../helpers/mcp-client.ts';
import { identity, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const runs: unknown[] = [];

/** Actions with every kind of result, and one with a form. */
function customize(agent: Agent) {
  runs.length = 0;
  agent.customizeCollection('orders', (orders) =>
    orders
      .addAction('Refund', {
        scope: 'Bulk',
        form: [
          { type: 'String', label: 'Reason', isRequired: true, description: 'Why.' },
          { type: 'Enum', label: 'Speed', enumValues: ['slow', 'fast'], defaultValue: 'slow' },
          { type: 'File', label: 'Proof' },
          { type: 'Boolean', label: 'constructor' },
        ],
        execute: async (context, result) => {
          runs.push([await context.getRecordIds(), context.formValues]);
          return result.success('Refunded', { html: '<b>ok</b>', invalidated: ['lines'] });
        },
      })
      .addAction('One', { scope: 'Single', execute: () => undefined })
      .addAction('Fail', { scope: 'Global', execute: (_context, result) => result.error('No money', { html: '<i/>' }) })
      .addAction('Throw', {
        scope: 'Global',
        execute: () => {
          runs.push('threw');
          throw new Error('password=hunter2');
        },
      })
      .addAction('Call', {
        scope: 'Global',
        execute: (_context, result) => result.webhook('https://example.test/', 'POST', { authorization: 'secret' }),
      })
      .addAction('Go', { scope: 'Global', execute: (_context, result) => result.redirectTo('/orders') })
      .addAction('Export', {
        scope: 'Global',
        execute: (_context, result) => result.file('a;b', 'orders.csv', 'text/csv'),
      })
      .addAction('Stream', {
        scope: 'Global',
        execute: (_context, result) => result.file(Readable.from(['secret']), 'all.bin'),
      }),
  );
}

const refund = { collectionName: 'orders', actionName: 'Refund', recordIds: [1, 2] };
const global = (actionName: string) => ({ collectionName: 'orders', actionName });

const run = async (agent: ShopAgent, args: Record<string, unknown>) =>
  (await confirmedCall(agent, 'executeAction', args)).result.structuredContent;

describe('the tool getActionForm', () => {
  it('gives the fields, and says which values are missing', async () => {
    const agent = await startShopAgent(customize);
    const empty = await mcpCall(agent, 'getActionForm', refund);
    expect(empty.result.structuredContent).toEqual({
      canExecute: false,
      missingFields: ['Reason'],
      fields: [
        { name: 'Reason', type: 'String', isRequired: true, description: 'Why.' },
        { name: 'Speed', type: 'Enum', isRequired: false, allowedValues: ['slow', 'fast'], value: 'slow' },
        { name: 'Proof', type: 'File', isRequired: false },
        { name: 'constructor', type: 'Boolean', isRequired: false },
      ],
    });
    const values = { Reason: 'late', Proof: 'data:text/plain;name=a.txt;base64,aGk=' };
    const filled = await mcpCall(agent, 'getActionForm', { ...refund, values: JSON.stringify(values) });
    expect(filled.result.structuredContent).toMatchObject({ canExecute: true, missingFields: [] });
    expect(JSON.stringify(filled.result)).not.toContain('aGk=');
  });

  it.each([
    ['an unknown action', global('Refun'), 'REQUEST_NOT_FOUND'],
    ['an action on records without any', global('Refund'), 'REQUEST_INVALID'],
    ['a Global action with records', { ...global('Fail'), recordIds: [1] }, 'REQUEST_INVALID'],
    ['a Single action with two records', { ...refund, actionName: 'One' }, 'REQUEST_INVALID'],
  ])('refuses %s, and so does executeAction', async (_case, args, code) => {
    const agent = await startShopAgent(customize);
    for (const tool of ['getActionForm', 'executeAction']) {
      expect([tool, errorOf(await mcpCall(agent, tool, args))['code']]).toEqual([tool, code]);
    }
  });
});

describe('the tool executeAction', () => {
  const values = { Reason: 'late', constructor: true };

  it('runs an action that was confirmed, with its records and the values of its form', async () => {
    const agent = await startShopAgent(customize);
    const asked = await mcpCall(agent, 'executeAction', { ...refund, values });
    expect(asked.result.structuredContent).toMatchObject({
      status: 'confirmation_required',
      message: expect.stringContaining('Run the action "Refund" of "orders" on 2 records.'),
      sample: [
        { id: '1', label: 'A-1' },
        { id: '2', label: 'A-2' },
      ],
    });
    expect(runs).toEqual([]);
    expect(await run(agent, { ...refund, values })).toEqual({
      status: 'success',
      message: 'Refunded',
      html: '<b>ok</b>',
      invalidatedRelations: ['lines'],
    });
    expect(runs).toEqual([[[1, 2], { Reason: 'late', Speed: 'slow', constructor: true }]]);
  });

  it.each([
    ['Call', { status: 'webhook', webhook: { url: 'https://example.test/', method: 'POST' } }],
    ['Go', { status: 'redirect', redirectTo: '/orders' }],
    ['Export', { status: 'file', file: { name: 'orders.csv', mimeType: 'text/csv', bytes: 3 } }],
    ['Stream', { status: 'file', file: { name: 'all.bin', mimeType: 'application/octet-stream' } }],
    ['One', { status: 'success' }],
  ])('tells the result of %s by its type, without secrets and bytes', async (name, expected) => {
    const agent = await startShopAgent(customize);
    const args = name === 'One' ? { ...global(name), recordIds: [1] } : global(name);
    const result = await run(agent, args);
    expect(result).toMatchObject(expected);
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('tells the error of an action as one', async () => {
    const { result } = await confirmedCall(await startShopAgent(customize), 'executeAction', global('Fail'));
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { status: 'error', message: 'No money', html: '<i/>' },
    });
  });

  it('does not tell what the code of an action threw', async () => {
    const answer = await confirmedCall(await startShopAgent(customize), 'executeAction', global('Throw'));
    expect(errorOf(answer)).toMatchObject({ code: 'CUSTOMIZATION_FAILED', message: 'Unexpected error' });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  it.each([
    ['a missing value', {}, 'Reason'],
    ['a value that is not one of the choices', { Reason: 'x', Speed: 'warp' }, 'Speed'],
    ['a file that is not a data URI', { Reason: 'x', Proof: 'hello' }, 'Proof'],
    ['an unknown field', { Reason: 'x', Amount: 1 }, 'Amount'],
    ['a prototype key', '{"Reason":"x","__proto__":{"Speed":"fast"}}', '__proto__'],
  ])('names the field of %s before anybody is asked', async (_case, sent, field) => {
    const agent = await startShopAgent(customize);
    const error = errorOf(await mcpCall(agent, 'executeAction', { ...refund, values: sent }));
    expect(error).toMatchObject({ code: 'REQUEST_INVALID', field });
    expect(runs).toEqual([]);
  });

  it('refuses files beyond the bound', async () => {
    const agent = await startShopAgent(customize);
    const Proof = `data:text/plain;base64,${'A'.repeat(3_000_000)}`;
    const error = errorOf(await mcpCall(agent, 'executeAction', { ...refund, values: { ...values, Proof } }));
    expect(error['message']).toBe('The files in "values" have more than 2097152 bytes.');
  });

  it('refuses records that are not there, all or some', async () => {
    const agent = await startShopAgent(customize);
    for (const recordIds of [[99], [1, 99]]) {
      const error = errorOf(await mcpCall(agent, 'executeAction', { ...refund, recordIds, values }));
      expect(error).toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    }
  });

  it('checks a dry run and runs nothing', async () => {
    const agent = await startShopAgent(customize);
    const dry = await mcpCall(agent, 'executeAction', { ...refund, values, dryRun: true });
    expect(dry.result.structuredContent).toEqual({ status: 'dry_run', count: 2 });
    expect(runs).toEqual([]);
  });

  it('runs once for an idempotency key, whatever is submitted twice', async () => {
    const agent = await startShopAgent(customize);
    const args = { ...refund, values, idempotencyKey: 'once' };
    const first = await run(agent, args);
    expect((await mcpCall(agent, 'executeAction', args)).result.structuredContent).toEqual(first);
    expect(runs).toHaveLength(1);
    const thrown = { ...global('Throw'), idempotencyKey: 'thrown' };
    await confirmedCall(agent, 'executeAction', thrown);
    expect(errorOf(await mcpCall(agent, 'executeAction', thrown))).toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
    expect(runs).toEqual([expect.anything(), 'threw']);
  });

  it('answers with who may approve, where an approval is needed', async () => {
    const rights = { browseEnabled: true, readEnabled: true, editEnabled: true, addEnabled: true };
    const collection = { ...rights, deleteEnabled: true, exportEnabled: true };
    const action = {
      triggerEnabled: true,
      triggerConditions: [],
      approvalRequired: true,
      approvalRequiredConditions: [],
      userApprovalEnabled: { roles: [5] },
      userApprovalConditions: [],
      selfApprovalEnabled: false,
    };
    const agent = await startShopAgent(customize, {
      platform: {
        environmentPermissions: async () =>
          ({ collections: { orders: { collection, actions: { Refund: action } } } }) as never,
        users: async () => [{ ...identity, fullName: 'Ada Lovelace', roleId: 1 }] as never,
        renderingPermissions: async () => ({
          team: { id: 1, name: 'x' },
          collections: { orders: { scope: null, segments: [], liveQuerySegments: [] } },
          stats: [],
        }),
      },
    });
    for (const dryRun of [false, true]) {
      const { result } = await mcpCall(agent, 'executeAction', { ...refund, values, dryRun });
      expect(result.isError, JSON.stringify(result)).toBeUndefined();
      expect(result.structuredContent).toMatchObject({
        status: 'approval_required',
        message: expect.stringContaining('needs an approval'),
        roleIdsAllowedToApprove: [5],
      });
    }
    expect(runs).toEqual([]);
  });
});

describe('the prompts of actions', () => {
  it('are there where the tools that they name are on, and not in the read-only mode', async () => {
    const client = await connectMcp(await startShopAgent(customize));
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContainEqual(expect.stringContaining('Refund'));
    const readOnly = await connectMcp(await startShopAgent(customize, { mcpSafety: { isReadOnly: true } }));
    expect(readOnly.getServerCapabilities()).toEqual({ tools: {} });
  });
});
