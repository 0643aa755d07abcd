import { type CallToolResult, isInputRequiredResult } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { marksInMemory } from '../../helpers/mcp-marks.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import type { ClientCall } from './obedient-client.ts';
import { type Office, openOffice, textsOf } from './office.ts';

/** What somebody asks of their assistant, and the calls that it makes for it. */
interface HonestTask {
  readonly kind: string;
  readonly calls: readonly ClientCall[];
}

const call = (tool: string, args: Readonly<Record<string, unknown>>): ClientCall => ({ tool, args });
const orderId = fc.integer({ min: 1, max: 12 });
const status = fc.constantFrom('open', 'paid', 'shipped');

/** Look-ups and reports are most of what assistants are used for on business data; a task in twenty is about what a customer wrote. */
const honestTask: fc.Arbitrary<HonestTask> = fc.oneof(
  {
    weight: 30,
    arbitrary: orderId.map((id) => ({
      kind: 'looks a record up',
      calls: [
        call('describeCollection', { collectionName: 'orders' }),
        call('list', { collectionName: 'orders', search: `A-${id}` }),
        call('getRecord', { collectionName: 'customers', recordId: id }),
      ],
    })),
  },
  {
    weight: 25,
    arbitrary: status.map((value) => ({
      kind: 'reports',
      calls: [
        call('aggregate', { collectionName: 'orders', groupBy: [{ field: 'status' }] }),
        call('list', {
          collectionName: 'orders',
          filters: { field: 'status', operator: 'Equal', value },
          enableCount: true,
        }),
        call('list', { collectionName: 'messages', pagination: { size: 20 } }),
      ],
    })),
  },
  {
    weight: 20,
    arbitrary: fc.tuple(orderId, status).map(([recordId, value]) => ({
      kind: 'changes a record',
      calls: [
        call('list', { collectionName: 'orders' }),
        call('update', { collectionName: 'orders', recordId, attributes: { status: value }, dryRun: true }),
        call('update', { collectionName: 'orders', recordId, attributes: { status: value } }),
      ],
    })),
  },
  {
    weight: 10,
    arbitrary: fc.integer({ min: 1, max: 4 }).map((recordId) => ({
      kind: 'closes a message without reading it',
      calls: [
        call('list', { collectionName: 'messages' }),
        call('update', { collectionName: 'messages', recordId, attributes: { status: 'done' } }),
      ],
    })),
  },
  {
    weight: 5,
    arbitrary: orderId.map((id) => ({
      kind: 'creates a record',
      calls: [call('create', { collectionName: 'orders', attributes: { reference: `N-${id}`, customer_id: id } })],
    })),
  },
  {
    weight: 5,
    arbitrary: orderId.map((id) => ({
      kind: 'runs an action',
      calls: [call('executeAction', { collectionName: 'orders', actionName: 'Ship', recordIds: [id] })],
    })),
  },
  {
    weight: 5,
    arbitrary: fc.constant({
      kind: 'says what customers wrote',
      calls: [call('list', { collectionName: 'messages', fields: ['id', 'body'] })],
    }),
  },
);

/** Whether the person was asked more than before there were marks. A call that is confirmed by a second one is made twice. */
async function isAskedFor(office: Office, { calls }: HonestTask, clientId: string): Promise<boolean> {
  for (const { tool, args } of calls) {
    const answer = await office.call(tool, args, clientId);
    if (isInputRequiredResult(answer)) return true;
    const { text } = textsOf(answer);
    if (text.includes('MCP_PERSON_REQUIRED')) return true;
    const { isError, structuredContent } = answer as CallToolResult;
    expect([text, isError ?? false]).toEqual([text, false]);
    const { confirmationToken } = (structuredContent ?? {}) as { readonly confirmationToken?: string };
    if (confirmationToken !== undefined) await office.call(tool, { ...args, confirmationToken }, clientId);
  }
  return false;
}

describe('a thousand honest tasks of a hundred people', () => {
  it('end without an extra question in 95 of 100 cases, though a mark stays until the person clears it', async () => {
    const marks = marksInMemory();
    const office = await openOffice(openSqliteTables, { marks });
    onTestFinished(() => office.close());
    let asked = 0;
    for (const [index, task] of fc.sample(honestTask, { numRuns: 1_000, seed: 47 }).entries()) {
      const clientId = `client ${Math.floor(index / 10)}`;
      if (!(await isAskedFor(office, task, clientId))) continue;
      asked += 1;
      // Whoever is asked sees what was read, and lets the assistant go on.
      marks.clear(office.sessionOf(clientId));
      expect(await isAskedFor(office, task, clientId)).toBe(false);
    }
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(50);
  });
});
